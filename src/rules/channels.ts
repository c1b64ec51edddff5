import type { Platform } from './platforms.ts'
import { UNREACHABLE_REASONS } from './provider-errors.ts'
import { BRAKE_REASON } from './push.ts'

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

/** How often the failure of a channel, or of a push host, is saved while it lasts. */
export const FAILURE_REPORT_MS = 10_000

/** Advice to the brand about a channel that does not send, or not everywhere. */
export const CHANNEL_ADVICE = {
  no_credentials:
    'Nothing can be sent: this brand has no credentials, and no sandbox runs on this machine. Set the credentials with PUT /api/v1/brand/channels/{platform}.',
  paused:
    'Sending is paused, because the provider refuses the credentials or a setting. See the reason, and set the credentials again with PUT /api/v1/brand/channels/{platform}.',
  braked:
    'Sending is paused, because the provider says of too many devices that they are dead: the credentials or the environment are probably those of another app. The devices are kept. Set the credentials again with PUT /api/v1/brand/channels/{platform}, then make retired devices live again with POST /api/v1/brand/channels/{platform}/brake.',
  dead_devices:
    'The push service says of too many devices that they are dead, so no more of them are retired until it accepts a message. The devices are kept, and each message is tried again by itself. If the devices are dead, or to make retired ones live again, use POST /api/v1/brand/channels/{platform}/brake.',
  partial:
    'The push services in refused_hosts do not accept messages of this brand, so their browsers get nothing. The reason http_403 means a wrong VAPID key or subject. The reason address_blocked means a private address, which the operator can allow with BECKON_PUSH_HOSTS. The reason too_many_bad_addresses means that the push service says of every browser that it is gone; the browsers are kept, and their messages are tried again; see POST /api/v1/brand/channels/{platform}/brake.',
  failing:
    'The push service accepts no message at present. Each message is tried again by itself, until it has had all its attempts or expires.',
  unreachable:
    'This machine cannot reach the push service. The operator should check the network, the name server and the firewall. Each message is tried again by itself, until it has had all its attempts or expires.',
  untrusted:
    'The certificate that answers for the push service is not trusted, so nothing was sent. A proxy or a firewall probably answers in its place, or the clock of this machine is wrong. The operator should mend that. Each message is tried again by itself.',
  no_token:
    'Google gives no access token for the service account, so nothing was sent. The operator should check that this machine reaches the token endpoint. If it does, set the credentials again with PUT /api/v1/brand/channels/{platform}. Each message is tried again by itself.',
} as const

/** The reasons of a failing channel that have advice of their own. Codes in capitals are those of Node and OpenSSL. */
export const FAILING_ADVICE: readonly {
  readonly advice: keyof typeof CHANNEL_ADVICE
  readonly reasons: readonly string[]
}[] = [
  { advice: 'dead_devices', reasons: [BRAKE_REASON] },
  { advice: 'no_token', reasons: ['token_endpoint', 'bad_access_token'] },
  {
    advice: 'untrusted',
    reasons: [
      'CERT_HAS_EXPIRED',
      'CERT_NOT_YET_VALID',
      'CERT_UNTRUSTED',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
  },
  {
    advice: 'unreachable',
    reasons: UNREACHABLE_REASONS,
  },
]
