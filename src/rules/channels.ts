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

/** How many push services that refuse are kept of a channel, for how long, and how often that is written down. */
export const REFUSED_HOSTS = { max: 20, keepMs: 7 * 24 * 60 * 60_000, noteEveryMs: 60_000 } as const

/** What a channel's owner is to do. */
export const CHANNEL_ADVICE = {
  no_credentials:
    'Nothing can be sent: there are no credentials, and no sandbox stands in for them. PUT /api/v1/brand/channels/{platform} sets them.',
  paused:
    'Nothing is handed over until it works again. Look at the reason, and set the credentials anew with PUT /api/v1/brand/channels/{platform}.',
  partial:
    'The push services in refused_hosts turn this brand away, so their browsers get nothing. A reason such as http_403 is about the VAPID key or the subject; address_blocked means a private address, which BECKON_PUSH_HOSTS can allow.',
} as const
