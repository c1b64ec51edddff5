import type { Platform } from './platforms.ts'

/** The bounds of what a brand may set for its channels. */
export const CHANNEL_LIMITS = {
  pemCharsMax: 8_192,
  nameCharsMax: 255,
  subjectCharsMax: 255,
  /** Subscriptions made with an older VAPID key can be reached only with that key, so some are kept. */
  vapidKeysMax: 5,
} as const

/** Where a machine's sandbox stands in for credentials. A browser is bound to a key of its brand, so it cannot there. */
export const SANDBOX_PLATFORMS: readonly Platform[] = ['android', 'ios']

/** What a channel's owner is to do. */
export const CHANNEL_ADVICE = {
  no_credentials:
    'Nothing can be sent: there are no credentials, and no sandbox stands in for them. PUT /api/v1/brand/channels/{platform} sets them.',
  paused:
    'Nothing is handed over until it works again. Look at the reason, and set the credentials anew with PUT /api/v1/brand/channels/{platform}.',
} as const
