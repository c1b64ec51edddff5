import { INT64_MAX, INT64_MIN } from './fields.ts'
import { IOS_FIELDS } from './ios-fields.ts'
import { LANGUAGE_FIELDS } from './languages.ts'
import { PLATFORMS, PRIORITIES } from './platforms.ts'
import { PUSH_LIMITS } from './push.ts'
import { BROADCAST, OPTIONAL, type PushFieldRow } from './push-field-row.ts'
import { TEMPLATE_PUSH_FIELDS } from './template-fields.ts'
import { TOPIC_FIELDS } from './topics.ts'
import { VIRTUAL_PUSH_FIELDS } from './virtual-devices.ts'

const REQUIRED = { send: 'required', all: 'required', segment: 'required' } as const
const IDENTIFIER = { send: 'identifier', all: 'refused', segment: 'refused' } as const

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

/** A browser shows a notification of its own for a push that shows nothing, and ends the subscription after a few. */
const SILENT_ON = {
  android: { type: 'boolean' },
  ios: { type: 'boolean' },
  web: { type: 'boolean', trueRefusal: 'browsers do not allow a push that shows nothing' },
} as const

/**
 * The body of the nine push endpoints: the fields of the contract (spec §2.1), then our options past it.
 * The checks, their messages, the content of a notification, a journey's `send` and the OpenAPI document are all made
 * from these rows. A row without a `content` key is read by its name: buttons in `http/push/content.ts`, the schedule
 * in `http/push/timing.ts`, everything else in `http/push/body.ts`. `test/unit/push-fields.test.ts` fails for a row
 * that changes nothing.
 */
export const PUSH_FIELDS = [
  {
    name: 'user_id',
    shape: IDENTIFIER_TEXT,
    modes: IDENTIFIER,
    description: 'The user to notify, on all of their devices of this platform.',
  },
  {
    name: 'subscription_id',
    shape: IDENTIFIER_TEXT,
    modes: IDENTIFIER,
    description: 'The one subscription to notify.',
  },
  {
    name: 'user_id/subscription_id',
    aliases: ['user_id / subscription_id', 'user_id /subscription_id', 'user_id/ subscription_id'],
    shape: IDENTIFIER_TEXT,
    modes: IDENTIFIER,
    description: 'The user or the subscription to notify. The contract writes both names in this one key.',
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
    modes: { send: 'ignored', all: 'refused', segment: 'required' },
    description: 'The segment to notify.',
  },
  {
    name: 'tag',
    shape: { type: 'text', charsMax: PUSH_LIMITS.tagCharsMax },
    modes: OPTIONAL,
    description: 'Narrows the audience to subscriptions that carry this tag.',
  },
  ...TOPIC_FIELDS,
  ...LANGUAGE_FIELDS,
  {
    name: 'notification_id',
    shape: INT64,
    modes: OPTIONAL,
    allowedInJourney: true,
    description:
      'Your own id of the notification. Replies and reports return it, and a later notification with the same id replaces this one on the device.',
  },
  ...TEMPLATE_PUSH_FIELDS,
  {
    name: 'title',
    content: 'title',
    shape: TITLE_ON.web,
    shapeOn: TITLE_ON,
    modes: REQUIRED,
    allowedInJourney: true,
    description: 'The title. It may hold Liquid. Optional when silent is true.',
  },
  {
    name: 'message',
    content: 'body',
    shape: MESSAGE_ON.web,
    shapeOn: MESSAGE_ON,
    modes: REQUIRED,
    allowedInJourney: true,
    description: 'The text. It may hold Liquid. Optional when silent is true.',
  },
  {
    name: 'url',
    content: 'url',
    shape: LINK,
    shapeOn: LINK_ON,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'The link that a tap opens; the app or the site when absent. It may hold Liquid.',
  },
  {
    name: 'image_url',
    content: 'imageUrl',
    shape: IMAGE,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'The icon or picture of the notification.',
  },
  {
    name: 'hero_image_url',
    content: 'heroImageUrl',
    shape: IMAGE,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'A large picture, shown by browsers of the Chromium family.',
  },
  {
    name: 'button_one_title',
    shape: BUTTON_TEXT,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'Text of the first button, shown by browsers of the Chromium family.',
  },
  {
    name: 'button_one_url',
    shape: LINK,
    shapeOn: LINK_ON,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'The link of the first button; url when absent. It needs button_one_title.',
  },
  {
    name: 'button_two_title',
    shape: BUTTON_TEXT,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'Text of the second button.',
  },
  {
    name: 'button_two_url',
    shape: LINK,
    shapeOn: LINK_ON,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'The link of the second button; url when absent. It needs button_two_title.',
  },
  {
    name: 'time',
    shape: {
      type: 'integer',
      min: 0n,
      max: BigInt(PUSH_LIMITS.delaySecondsMax),
      unit: ' seconds from now; for a date and time use schedule_date and schedule_time',
    },
    modes: OPTIONAL,
    description: 'Seconds from now until the notification is sent. Not together with schedule_date.',
  },
  {
    name: 'schedule_date',
    shape: { type: 'date' },
    modes: OPTIONAL,
    description: 'The day to send on, together with schedule_time.',
  },
  {
    name: 'schedule_time',
    aliases: ['Schedule_time'],
    shape: { type: 'clock' },
    modes: OPTIONAL,
    description: 'The time of day to send at, together with schedule_date.',
  },
  {
    name: 'time_zone',
    shape: { type: 'zone', allowsSubscriber: true },
    modes: OPTIONAL,
    description: 'The zone of the schedule; 0, which is UTC, when absent.',
  },
  {
    name: 'ttl_seconds',
    content: 'ttlSeconds',
    shape: { type: 'integer', min: 0n, max: BigInt(PUSH_LIMITS.ttlSecondsMax), unit: ' seconds' },
    modes: OPTIONAL,
    allowedInJourney: true,
    description: `How long the message may wait for a device that is offline, counted from the moment it is due; ${PUSH_LIMITS.ttlSecondsDefault} when absent.`,
  },
  {
    name: 'priority',
    content: 'priority',
    shape: { type: 'choice', oneOf: PRIORITIES },
    modes: OPTIONAL,
    allowedInJourney: true,
    description:
      'Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true.',
  },
  {
    name: 'badge',
    content: 'badge',
    shape: { type: 'integer', min: 0n, max: BigInt(PUSH_LIMITS.badgeMax) },
    needsShown: true,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'The number on the app icon.',
  },
  {
    name: 'sound',
    content: 'sound',
    shape: NAME_TEXT,
    platforms: ['android', 'ios'],
    needsShown: true,
    modes: OPTIONAL,
    allowedInJourney: true,
    description:
      'The sound to play: a file of the app, default, or none. When absent, the default_sound of the brand.',
  },
  ...IOS_FIELDS,
  {
    name: 'android_channel',
    content: 'androidChannel',
    shape: NAME_TEXT,
    platforms: ['android'],
    needsShown: true,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'The notification channel of the Android app.',
  },
  {
    name: 'silent',
    content: 'silent',
    shape: { type: 'boolean' },
    shapeOn: SILENT_ON,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'True shows nothing; the app gets the fields and decides. Not on the web.',
  },
  {
    name: 'data',
    content: 'data',
    shape: { type: 'strings', keysMax: PUSH_LIMITS.dataKeysMax, keyCharsMax: PUSH_LIMITS.dataKeyCharsMax },
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'Your own strings for the app.',
  },
  {
    name: 'per_second',
    shape: { type: 'integer', min: 1n, max: BigInt(PUSH_LIMITS.perSecondMax), unit: ' messages a second' },
    modes: BROADCAST,
    description: 'Sends to at most this many subscriptions a second, so that not all taps arrive at once.',
  },
  {
    name: 'ignore_frequency_cap',
    shape: { type: 'boolean' },
    modes: BROADCAST,
    description: 'True also notifies people who already got as many notifications today as the brand allows.',
  },
  ...VIRTUAL_PUSH_FIELDS,
  {
    name: 'dry_run',
    shape: { type: 'boolean' },
    modes: OPTIONAL,
    description:
      'True checks the request and returns the audience and the rendered payload. Nothing is stored or sent.',
  },
] as const satisfies readonly PushFieldRow[]
