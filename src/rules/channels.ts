import type { Platform } from './platforms.ts'

/** The bounds of a brand's channel settings. */
export const CHANNEL_LIMITS = {
  pemCharsMax: 8_192,
  nameCharsMax: 255,
  subjectCharsMax: 255,
  /** Subscriptions made with an older VAPID key can be reached only with that key, so some are kept. */
  vapidKeysMax: 5,
} as const

/** The platforms that the sandbox serves without credentials. A browser is bound to a key of its brand, so web is not one. */
export const SANDBOX_PLATFORMS: readonly Platform[] = ['android', 'ios']

/** The push services that refuse a channel: how many are kept, for how long, and how often they are saved. */
export const REFUSED_HOSTS = { max: 20, keepMs: 7 * 24 * 60 * 60_000, noteEveryMs: 60_000 } as const

/** Advice to the brand about a channel that does not send, or not everywhere. */
export const CHANNEL_ADVICE = {
  no_credentials:
    'Nothing can be sent: this brand has no credentials, and no sandbox runs on this machine. Set the credentials with PUT /api/v1/brand/channels/{platform}.',
  paused:
    'Sending is paused, because the provider refuses the credentials or a setting. See the reason, and set the credentials again with PUT /api/v1/brand/channels/{platform}.',
  braked:
    'Sending is paused, because the provider says of too many devices that they are dead: the credentials or the environment are probably those of another app. The devices are kept. Set the credentials again with PUT /api/v1/brand/channels/{platform}, then make retired devices live again with POST /api/v1/brand/channels/{platform}/brake.',
  partial:
    'The push services in refused_hosts refuse this brand, so their browsers get nothing. The reason http_403 means a wrong VAPID key or subject. The reason too_many_bad_addresses means that the push service says of every browser that it is gone; the browsers are kept, and their messages are tried again; see POST /api/v1/brand/channels/{platform}/brake. The reason address_blocked means a private address, which the operator can allow with BECKON_PUSH_HOSTS.',
} as const
