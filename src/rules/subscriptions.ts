import type { FieldRow } from './fields.ts'
import { PLATFORM_NAMES, type Platform } from './platforms.ts'
import { PUSH_LIMITS } from './push.ts'

// Limits

export const APNS_ENVIRONMENTS = ['production', 'sandbox'] as const
export type ApnsEnvironment = (typeof APNS_ENVIRONMENTS)[number]

export const SUBSCRIPTION_LIMITS = {
  /** An FCM token has about 160 characters; Google promises no length. */
  tokenCharsMax: 4096,
  /** An APNs token is 32 bytes today; Apple asks for room to grow. */
  iosTokenBytesMin: 32,
  iosTokenBytesMax: 100,
  endpointCharsMax: 2048,
  keyCharsMax: 128,
  authBytes: 16,
  tagsMax: 100,
  nameCharsMax: 255,
} as const

// The bodies that register and change a device

export type SubscriptionFieldRow = FieldRow & {
  readonly platforms: readonly Platform[]
  readonly isRequired?: true
  /** A fact about the device. A later call can change it or take it away. */
  readonly isFact?: true
}

const NAME = { type: 'text', charsMax: SUBSCRIPTION_LIMITS.nameCharsMax } as const
const IDENTIFIER = { type: 'text', charsMax: PUSH_LIMITS.identifierCharsMax } as const
const DEVICE = { type: 'text', charsMax: PUSH_LIMITS.deviceCharsMax } as const
const TAGS = {
  type: 'list',
  itemsMax: SUBSCRIPTION_LIMITS.tagsMax,
  charsMax: PUSH_LIMITS.tagCharsMax,
} as const

/** The body that registers a device. The rows with `isFact` are also the body that changes one (decisions §6). */
export const SUBSCRIPTION_FIELDS = [
  {
    name: 'platform',
    shape: { type: 'choice', oneOf: PLATFORM_NAMES },
    platforms: PLATFORM_NAMES,
    isRequired: true,
    description: 'The platform of the device.',
  },
  {
    name: 'token',
    shape: { type: 'text', charsMax: SUBSCRIPTION_LIMITS.tokenCharsMax },
    platforms: ['android', 'ios'],
    isRequired: true,
    description: 'The token that FCM or APNs gave the app.',
  },
  {
    name: 'environment',
    shape: { type: 'choice', oneOf: APNS_ENVIRONMENTS },
    platforms: ['ios'],
    description: 'The APNs environment of the token; production when absent.',
  },
  {
    name: 'subscription',
    shape: { type: 'object' },
    platforms: ['web'],
    isRequired: true,
    description: 'The PushSubscription of the browser, as its toJSON gives it.',
  },
  {
    name: 'subscription_id',
    shape: IDENTIFIER,
    platforms: PLATFORM_NAMES,
    description: 'An id of your own, for devices that come from another system; generated when absent.',
  },
  {
    name: 'user_id',
    shape: IDENTIFIER,
    platforms: PLATFORM_NAMES,
    description: 'The user who is logged in on the device.',
  },
  {
    name: 'android_id',
    shape: DEVICE,
    platforms: ['android'],
    description: 'The id of the Android device.',
  },
  {
    name: 'ios_ifv',
    shape: DEVICE,
    platforms: ['ios'],
    description: 'The identifier for vendors of the iOS device.',
  },
  {
    name: 'tags',
    shape: TAGS,
    platforms: PLATFORM_NAMES,
    description: 'Tags of the subscription.',
  },
  {
    name: 'time_zone',
    shape: { type: 'zone', allowsSubscriber: false },
    platforms: PLATFORM_NAMES,
    isFact: true,
    description: 'The zone of the clock on the device.',
  },
  {
    name: 'language',
    shape: { type: 'language' },
    platforms: PLATFORM_NAMES,
    isFact: true,
    description: 'The language of the device.',
  },
  {
    name: 'browser',
    shape: NAME,
    platforms: PLATFORM_NAMES,
    isFact: true,
    description: 'The browser, such as chrome or firefox; known from the push service when absent.',
  },
  {
    name: 'app_version',
    shape: NAME,
    platforms: PLATFORM_NAMES,
    isFact: true,
    description: 'The version of the app or site.',
  },
] as const satisfies readonly SubscriptionFieldRow[]

/** The fields of a browser's PushSubscription, and the keys inside it. */
export const WEB_SUBSCRIPTION_FIELDS = [
  {
    name: 'endpoint',
    shape: { type: 'text', charsMax: SUBSCRIPTION_LIMITS.endpointCharsMax },
    description: 'The URL to which messages for this browser are sent.',
  },
  {
    name: 'keys',
    shape: { type: 'object' },
    description: 'The keys that messages are encrypted with.',
  },
] as const satisfies readonly FieldRow[]

export const WEB_KEY_FIELDS = [
  {
    name: 'p256dh',
    shape: { type: 'text', charsMax: SUBSCRIPTION_LIMITS.keyCharsMax },
    description: 'The public key of the browser, as base64url.',
  },
  {
    name: 'auth',
    shape: { type: 'text', charsMax: SUBSCRIPTION_LIMITS.keyCharsMax },
    description: 'The secret of the browser, as base64url.',
  },
] as const satisfies readonly FieldRow[]

/** The three ways to change tags: replace them, or add and remove some. */
export const TAG_CHANGE_FIELDS = [
  { name: 'set', shape: TAGS, description: 'Replaces all tags.' },
  { name: 'add', shape: TAGS, description: 'Tags to add.' },
  { name: 'remove', shape: TAGS, description: 'Tags to take away.' },
] as const satisfies readonly FieldRow[]

// States

/** The states of a subscription. Registering the device again makes it live from any state. */
export const SUBSCRIPTION_STATES = {
  live: 'can be pushed to',
  unsubscribed: 'the person unsubscribed, or the brand did it for them',
  gone: 'the provider reported that the device no longer exists',
} as const satisfies Record<string, string>

export type SubscriptionState = keyof typeof SUBSCRIPTION_STATES

export const SUBSCRIPTION_STATE_NAMES = [
  'live',
  'unsubscribed',
  'gone',
] as const satisfies readonly SubscriptionState[]
