import { THROTTLED_REASONS, UNREACHABLE_REASONS, UNWELL_REASONS } from './provider-errors.ts'
import { FREQUENCY_REASON, UNKNOWN_REASON } from './push.ts'
import { OPT_OUT_REASON, QUIET_REASON } from './topics.ts'
import { SANDBOX_MISSING_REASON } from './virtual-devices.ts'

export type DeliveryCause = {
  /** The codes of push services and of Beckon that mean it. */
  readonly reasons: readonly string[]
  /** The cause in words. */
  readonly cause: string
  /** The advice in words. */
  readonly cure: string
  /** The section of the settings in which it can be mended. */
  readonly settings?: 'channels' | 'topics' | 'brand'
}

/** Why a message did not arrive, in the words of people who send messages, and what they can do about it. */
export const DELIVERY_CAUSES = {
  uninstalled: {
    reasons: ['ExpiredToken', 'UNREGISTERED', 'Unregistered', 'http_404', 'http_410'],
    cause: 'App was uninstalled, or the browser’s permission withdrawn',
    cure: 'Nothing: these devices are retired.',
  },
  bad_address: {
    reasons: ['BadDeviceToken', 'INVALID_TOKEN', 'MissingDeviceToken'],
    cause: 'The push service does not know the device',
    cure: 'Check that the app and the credentials are of the same environment.',
    settings: 'channels',
  },
  other_app: {
    reasons: ['DeviceTokenNotForTopic', 'SENDER_ID_MISMATCH', 'vapid_key_mismatch', 'VapidPkHashMismatch'],
    cause: 'Device belongs to another app or key',
    cure: 'Check the credentials.',
    settings: 'channels',
  },
  credential: {
    reasons: [
      'BadCertificate',
      'BadCertificateEnvironment',
      'BadEnvironmentKeyIdInToken',
      'BadTopic',
      'ExpiredProviderToken',
      'Forbidden',
      'InvalidProviderToken',
      'MissingProviderToken',
      'MissingTopic',
      'THIRD_PARTY_AUTH_ERROR',
      'TopicDisallowed',
      'UnrelatedKeyIdInToken',
      'bad_access_token',
      'http_401',
      'http_403',
      'no_credentials',
      'token_endpoint',
    ],
    cause: 'The push service refuses the credentials',
    cure: 'Set the credentials again.',
    settings: 'channels',
  },
  too_large: {
    reasons: ['PayloadTooLarge', 'http_413', 'payload_too_large'],
    cause: 'Message is too large for the platform',
    cure: 'Shorten the text or the data.',
  },
  text_empty: {
    reasons: ['PayloadEmpty', 'text_empty'],
    cause: 'Text came out empty',
    cure: 'Give the fields in the text a default.',
  },
  template_too_costly: {
    reasons: ['template_too_costly'],
    cause: 'The template took too much work for this person',
    cure: 'Make the loops in the template shorter.',
  },
  bad_message: {
    reasons: [
      'BadCollapseId',
      'BadExpirationDate',
      'BadMessageId',
      'BadPath',
      'BadPriority',
      'DuplicateHeaders',
      'INVALID_ARGUMENT',
      'InvalidPushType',
      'MethodNotAllowed',
      'UNSPECIFIED_ERROR',
      'http_400',
    ],
    cause: 'The push service refuses the message itself',
    cure: 'Look at the extra fields of the message.',
  },
  throttled: {
    reasons: [...THROTTLED_REASONS, 'http_406'],
    cause: 'The push service asked for fewer messages',
    cure: 'Nothing: they are tried again. A slower pace helps.',
  },
  unwell: {
    reasons: [...UNWELL_REASONS, 'http_408', 'http_500', 'http_502', 'http_503', 'http_504'],
    cause: 'The push service was not well',
    cure: 'Nothing: they are tried again for about an hour.',
  },
  network: {
    reasons: UNREACHABLE_REASONS,
    cause: 'The push service could not be reached',
    cure: 'Ask the operator of Beckon to check the network.',
  },
  private_address: {
    reasons: ['address_blocked'],
    cause: 'The push service of the browser has a private address',
    cure: 'Ask the operator of Beckon to allow its host with BECKON_PUSH_HOSTS.',
  },
  no_answer: {
    reasons: [UNKNOWN_REASON],
    cause: 'The push service did not answer',
    cure: 'Nothing: it may have arrived.',
  },
  moved: {
    reasons: ['moved'],
    cause: 'Device belongs to another person by now',
    cure: 'Nothing: it was meant for the person before.',
  },
  unsubscribed: {
    reasons: ['unsubscribed'],
    cause: 'Unsubscribed before its turn',
    cure: 'Nothing: they do not want messages.',
  },
  opted_out: {
    reasons: [OPT_OUT_REASON],
    cause: 'Opted out of the topic',
    cure: 'Nothing: they do not want messages of this kind.',
    settings: 'topics',
  },
  quiet_hours: {
    reasons: [QUIET_REASON],
    cause: 'It was in the quiet hours',
    cure: 'Send earlier, or change the quiet hours.',
    settings: 'brand',
  },
  frequency_cap: {
    reasons: [FREQUENCY_REASON],
    cause: 'Had as many messages that day as you allow',
    cure: 'Raise the limit, or send on another day.',
    settings: 'brand',
  },
  no_sandbox: {
    reasons: [SANDBOX_MISSING_REASON],
    cause: 'A virtual device, and no sandbox runs',
    cure: 'Ask the operator to switch the sandbox on.',
  },
  stopped: {
    reasons: ['cancelled', 'replaced'],
    cause: 'Stopped before its turn',
    cure: 'Nothing: somebody in your team stopped it.',
  },
  too_late: {
    reasons: ['expired'],
    cause: 'Its time was over before it could be sent',
    cure: 'Give the message a longer life.',
  },
} as const satisfies Readonly<Record<string, DeliveryCause>>

export type DeliveryCauseName = keyof typeof DELIVERY_CAUSES
