import { type FieldRow, INT64_MAX, INT64_MIN, type Shape } from './fields.ts'
import { PLATFORM_NAMES, PLATFORMS, type Platform, PRIORITIES } from './platforms.ts'
import { type Presence, PUSH_LIMITS, type PushMode } from './push.ts'

export type PushFieldRow = FieldRow & {
  /** Where the field exists. Elsewhere it is ignored with a warning; an identifier on a broadcast is still refused. */
  readonly platforms: readonly Platform[]
  /** The shape where platforms differ in it; it takes the place of `shape`. */
  readonly shapeOn?: Readonly<Record<Platform, Shape>>
  readonly modes: Readonly<Record<PushMode, Presence>>
}

const OPTIONAL = { send: 'optional', all: 'optional', segment: 'optional' } as const
const REQUIRED = { send: 'required', all: 'required', segment: 'required' } as const
const IDENTIFIER = { send: 'identifier', all: 'refused', segment: 'refused' } as const
const BROADCAST = { send: 'ignored', all: 'optional', segment: 'optional' } as const

const INT64 = { type: 'integer', min: INT64_MIN, max: INT64_MAX } as const
const IDENTIFIER_TEXT = { type: 'text', charsMax: PUSH_LIMITS.identifierCharsMax } as const
const DEVICE_TEXT = { type: 'text', charsMax: PUSH_LIMITS.deviceCharsMax } as const
const NAME_TEXT = { type: 'text', charsMax: PUSH_LIMITS.nameCharsMax } as const
const BUTTON_TEXT = { type: 'text', charsMax: PUSH_LIMITS.buttonTitleCharsMax } as const
const IMAGE = { type: 'https_url', charsMax: PUSH_LIMITS.linkCharsMax } as const
const LINK = { type: 'link', charsMax: PUSH_LIMITS.linkCharsMax, allowsAppScheme: false } as const
const LINK_ON = {
  android: { ...LINK, allowsAppScheme: PLATFORMS.android.allowsAppScheme },
  ios: { ...LINK, allowsAppScheme: PLATFORMS.ios.allowsAppScheme },
  web: { ...LINK, allowsAppScheme: PLATFORMS.web.allowsAppScheme },
} as const
const TITLE_ON = {
  android: { type: 'template', charsMax: PLATFORMS.android.titleCharsMax },
  ios: { type: 'template', charsMax: PLATFORMS.ios.titleCharsMax },
  web: { type: 'template', charsMax: PLATFORMS.web.titleCharsMax },
} as const
const MESSAGE_ON = {
  android: { type: 'template', charsMax: PLATFORMS.android.messageCharsMax },
  ios: { type: 'template', charsMax: PLATFORMS.ios.messageCharsMax },
  web: { type: 'template', charsMax: PLATFORMS.web.messageCharsMax },
} as const

/**
 * The body of the nine push endpoints: the fields of the contract (spec §2.1), then our options past it.
 * The checks, their messages and the OpenAPI document are all made from these rows.
 */
export const PUSH_FIELDS = [
  {
    name: 'user_id',
    shape: IDENTIFIER_TEXT,
    platforms: PLATFORM_NAMES,
    modes: IDENTIFIER,
    description: 'The user to notify, on all of their devices of this platform.',
  },
  {
    name: 'subscription_id',
    shape: IDENTIFIER_TEXT,
    platforms: PLATFORM_NAMES,
    modes: IDENTIFIER,
    description: 'The one subscription to notify.',
  },
  {
    name: 'user_id/subscription_id',
    aliases: ['user_id / subscription_id', 'user_id /subscription_id', 'user_id/ subscription_id'],
    shape: IDENTIFIER_TEXT,
    platforms: PLATFORM_NAMES,
    modes: IDENTIFIER,
    description: 'The user or the subscription to notify, under the key that is written with both names.',
  },
  {
    name: 'android_id',
    shape: DEVICE_TEXT,
    platforms: ['android'],
    modes: IDENTIFIER,
    description: 'The Android device to notify.',
  },
  {
    name: 'ios_ifv',
    shape: DEVICE_TEXT,
    platforms: ['ios'],
    modes: IDENTIFIER,
    description: 'The iOS device to notify, by its identifier for vendors.',
  },
  {
    name: 'segment_id',
    shape: INT64,
    platforms: PLATFORM_NAMES,
    modes: { send: 'ignored', all: 'refused', segment: 'required' },
    description: 'The segment to notify.',
  },
  {
    name: 'tag',
    shape: { type: 'text', charsMax: PUSH_LIMITS.tagCharsMax },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'Narrows the audience to subscriptions that carry this tag.',
  },
  {
    name: 'notification_id',
    shape: INT64,
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description:
      'Your own id. It is returned and reported, and a later notification with the same one replaces this on the device.',
  },
  {
    name: 'title',
    shape: TITLE_ON.web,
    shapeOn: TITLE_ON,
    platforms: PLATFORM_NAMES,
    modes: REQUIRED,
    description: 'The title. It may hold Liquid. Optional when silent is true.',
  },
  {
    name: 'message',
    shape: MESSAGE_ON.web,
    shapeOn: MESSAGE_ON,
    platforms: PLATFORM_NAMES,
    modes: REQUIRED,
    description: 'The text. It may hold Liquid. Optional when silent is true.',
  },
  {
    name: 'url',
    shape: LINK,
    shapeOn: LINK_ON,
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'What a tap opens; without it, the app or the site. It may hold Liquid.',
  },
  {
    name: 'image_url',
    shape: IMAGE,
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'The icon or picture of the notification.',
  },
  {
    name: 'hero_image_url',
    shape: IMAGE,
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'A large picture, shown by browsers of the Chromium family.',
  },
  {
    name: 'button_one_title',
    shape: BUTTON_TEXT,
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'Text of the first button, shown by browsers of the Chromium family.',
  },
  {
    name: 'button_one_url',
    shape: LINK,
    shapeOn: LINK_ON,
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'What the first button opens; without it, url. It needs button_one_title.',
  },
  {
    name: 'button_two_title',
    shape: BUTTON_TEXT,
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'Text of the second button.',
  },
  {
    name: 'button_two_url',
    shape: LINK,
    shapeOn: LINK_ON,
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'What the second button opens; without it, url. It needs button_two_title.',
  },
  {
    name: 'time',
    shape: { type: 'integer', min: 0n, max: BigInt(PUSH_LIMITS.delaySecondsMax) },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'Seconds from now until it is sent. Not together with schedule_date.',
  },
  {
    name: 'schedule_date',
    shape: { type: 'date' },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'The day to send on, together with schedule_time.',
  },
  {
    name: 'schedule_time',
    aliases: ['Schedule_time'],
    shape: { type: 'clock' },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'The time of day to send at, together with schedule_date.',
  },
  {
    name: 'time_zone',
    shape: { type: 'zone', allowsSubscriber: true },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'The zone of the schedule; 0, which is UTC, when absent.',
  },
  {
    name: 'ttl_seconds',
    shape: { type: 'integer', min: 0n, max: BigInt(PUSH_LIMITS.ttlSecondsMax) },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: `How long a device that is offline is waited for; ${PUSH_LIMITS.ttlSecondsDefault} when absent.`,
  },
  {
    name: 'priority',
    shape: { type: 'choice', oneOf: PRIORITIES },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'Whether a sleeping device is woken for it: high when absent, normal when silent.',
  },
  {
    name: 'badge',
    shape: { type: 'integer', min: 0n, max: BigInt(PUSH_LIMITS.badgeMax) },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'The number on the app icon.',
  },
  {
    name: 'sound',
    shape: NAME_TEXT,
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'The sound to play: a file of the app, or default.',
  },
  {
    name: 'android_channel',
    shape: NAME_TEXT,
    platforms: ['android'],
    modes: OPTIONAL,
    description: 'The notification channel of the Android app.',
  },
  {
    name: 'silent',
    shape: { type: 'boolean' },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'Shows nothing and only hands the fields to the app.',
  },
  {
    name: 'data',
    shape: { type: 'strings', keysMax: PUSH_LIMITS.dataKeysMax, keyCharsMax: PUSH_LIMITS.dataKeyCharsMax },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'Your own strings for the app.',
  },
  {
    name: 'per_second',
    shape: { type: 'integer', min: 1n, max: BigInt(PUSH_LIMITS.perSecondMax) },
    platforms: PLATFORM_NAMES,
    modes: BROADCAST,
    description: 'At most this many subscriptions a second, so that their taps do not arrive all at once.',
  },
  {
    name: 'ignore_frequency_cap',
    shape: { type: 'boolean' },
    platforms: PLATFORM_NAMES,
    modes: BROADCAST,
    description: 'True reaches also those who already got as many notifications today as the brand allows.',
  },
  {
    name: 'dry_run',
    shape: { type: 'boolean' },
    platforms: PLATFORM_NAMES,
    modes: OPTIONAL,
    description: 'Checks everything and answers with the audience and the rendered payload; stores nothing.',
  },
] as const satisfies readonly PushFieldRow[]
