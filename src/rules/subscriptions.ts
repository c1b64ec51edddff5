import type { FieldRow } from './fields.ts'
import { PLATFORM_NAMES, type Platform } from './platforms.ts'
import { PUSH_LIMITS } from './push.ts'

export const APNS_ENVIRONMENTS = ['production', 'sandbox'] as const
export type ApnsEnvironment = (typeof APNS_ENVIRONMENTS)[number]

export const SUBSCRIPTION_LIMITS = {
  /** An FCM token has some 160 characters; its makers promise no length. */
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

export type SubscriptionFieldRow = FieldRow & {
  readonly platforms: readonly Platform[]
  readonly isRequired?: true
  /** A fact that can be changed later, and that a change can take away again. */
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

/** The body that registers a device, and by its facts the body that changes one (decisions §6). */
export const SUBSCRIPTION_FIELDS = [
  {
    name: 'platform',
    shape: { type: 'choice', oneOf: PLATFORM_NAMES },
    platforms: PLATFORM_NAMES,
    isRequired: true,
    description: 'What kind of device it is.',
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
    description: 'Where the token is valid; production when absent.',
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
    description: 'An id of your own, for devices that arrive from another system; made up when absent.',
  },
  {
    name: 'user_id',
    shape: IDENTIFIER,
    platforms: PLATFORM_NAMES,
    description: 'Who is logged in on the device.',
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

/** What a browser's PushSubscription holds, and the keys inside it. */
export const WEB_SUBSCRIPTION_FIELDS = [
  {
    name: 'endpoint',
    shape: { type: 'text', charsMax: SUBSCRIPTION_LIMITS.endpointCharsMax },
    description: 'Where the push service takes messages for this browser.',
  },
  {
    name: 'keys',
    shape: { type: 'object' },
    description: 'What messages are encrypted with.',
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

/** What a subscription can be, and who makes it so. Registering again brings back a live one from any of them. */
export const SUBSCRIPTION_STATES = {
  live: 'can be pushed to',
  unsubscribed: 'the person, or the brand for them, said no',
  gone: 'the provider said that nobody is at the address any more',
} as const satisfies Record<string, string>

export type SubscriptionState = keyof typeof SUBSCRIPTION_STATES

export const SUBSCRIPTION_STATE_NAMES = [
  'live',
  'unsubscribed',
  'gone',
] as const satisfies readonly SubscriptionState[]
