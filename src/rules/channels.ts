/** The bounds of what a brand may set for its channels. */
export const CHANNEL_LIMITS = {
  pemCharsMax: 8_192,
  nameCharsMax: 255,
  subjectCharsMax: 255,
  /** Subscriptions made with an older VAPID key can be reached only with that key, so some are kept. */
  vapidKeysMax: 5,
} as const
