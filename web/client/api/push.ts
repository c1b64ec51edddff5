// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Success } from './envelope.ts'

export type Notification = {
  /** Beckon’s id of the notification, used in addresses. */
  readonly id: string
  /** The caller’s own id. */
  readonly notification_id: (number | bigint) | null
  readonly state: 'queued' | 'scheduled'
  readonly send_at: string
  /** The number of subscriptions that it addresses; null until they are chosen. */
  readonly audience: number | null
}

export type InterruptionLevel = 'passive' | 'active' | 'time-sensitive' | 'critical'

export type PushApi = {
  /** Notify one subscriber (Android) */
  readonly 'POST /api/v1/android/send': {
    readonly body: {
      /** The user to notify, on all of their devices of this platform. */
      readonly user_id?: string
      /** The one subscription to notify. */
      readonly subscription_id?: string
      /** The user or the subscription to notify. The contract writes both names in this one key. Also spelled `user_id / subscription_id`, `user_id /subscription_id`, `user_id/ subscription_id`. */
      readonly 'user_id/subscription_id'?: string
      /** The Android device to notify. */
      readonly android_id?: string
      /** Narrows the audience to subscriptions that carry this tag. */
      readonly tag?: string
      /** The topic of the message: people who opted out of it get nothing. transactional reaches everybody, at any hour. */
      readonly topic?: string
      /** Content in other languages, by language tag: {"fr":{"title":"…","message":"…"}}. A field that a language does not have is taken from the content above. A device gets its own language, else that of its person, else that of the brand, else the content above. */
      readonly languages?: Readonly<
        Record<
          string,
          {
            /** The title. It may hold Liquid. Optional when silent is true. */
            readonly title?: string
            /** The text. It may hold Liquid. Optional when silent is true. */
            readonly message?: string
            /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
            readonly url?: string
            /** The icon or picture of the notification. */
            readonly image_url?: string
            /** A large picture, shown by browsers of the Chromium family. */
            readonly hero_image_url?: string
            /** Text of the first button, shown by browsers of the Chromium family. */
            readonly button_one_title?: string
            /** The link of the first button; url when absent. It needs button_one_title. */
            readonly button_one_url?: string
            /** Text of the second button. */
            readonly button_two_title?: string
            /** The link of the second button; url when absent. It needs button_two_title. */
            readonly button_two_url?: string
          }
        >
      >
      /** Your own id of the notification. Replies and reports return it, and a later notification with the same id replaces this one on the device. */
      readonly notification_id?: (number | bigint) | string
      /** The saved template that fills in the content fields which this body does not have. Then title and message are optional. */
      readonly template_id?: (number | bigint) | string
      /** The version of the template; the newest when absent. It needs template_id. */
      readonly template_version?: (number | bigint) | string
      /** The title. It may hold Liquid. Optional when silent is true. */
      readonly title?: string
      /** The text. It may hold Liquid. Optional when silent is true. */
      readonly message?: string
      /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
      readonly url?: string
      /** The icon or picture of the notification. */
      readonly image_url?: string
      /** A large picture, shown by browsers of the Chromium family. */
      readonly hero_image_url?: string
      /** Text of the first button, shown by browsers of the Chromium family. */
      readonly button_one_title?: string
      /** The link of the first button; url when absent. It needs button_one_title. */
      readonly button_one_url?: string
      /** Text of the second button. */
      readonly button_two_title?: string
      /** The link of the second button; url when absent. It needs button_two_title. */
      readonly button_two_url?: string
      /** Seconds from now until the notification is sent. Not together with schedule_date. */
      readonly time?: (number | bigint) | string
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** How long the message may wait for a device that is offline, counted from the moment it is due; 259200 when absent. */
      readonly ttl_seconds?: (number | bigint) | string
      /** Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true. */
      readonly priority?: 'high' | 'normal'
      /** The number on the app icon. */
      readonly badge?: (number | bigint) | string
      /** The sound to play: a file of the app, default, or none. When absent, the default_sound of the brand. */
      readonly sound?: string
      /** The notification channel of the Android app. */
      readonly android_channel?: string
      /** True shows nothing; the app gets the fields and decides. Not on the web. */
      readonly silent?: boolean
      /** Your own strings for the app. */
      readonly data?: Readonly<Record<string, string>>
      /** True checks the request and returns the audience and the rendered payload. Nothing is stored or sent. */
      readonly dry_run?: boolean
    } & (
      | {
          readonly title: string
          readonly message: string
        }
      | {
          readonly template_id: Json
        }
      | {
          readonly silent: true
        }
    )
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
  /** Notify every subscriber of the platform (Android) */
  readonly 'POST /api/v1/android/broadcast/all': {
    readonly body: {
      /** Narrows the audience to subscriptions that carry this tag. */
      readonly tag?: string
      /** The topic of the message: people who opted out of it get nothing. transactional reaches everybody, at any hour. */
      readonly topic?: string
      /** Content in other languages, by language tag: {"fr":{"title":"…","message":"…"}}. A field that a language does not have is taken from the content above. A device gets its own language, else that of its person, else that of the brand, else the content above. */
      readonly languages?: Readonly<
        Record<
          string,
          {
            /** The title. It may hold Liquid. Optional when silent is true. */
            readonly title?: string
            /** The text. It may hold Liquid. Optional when silent is true. */
            readonly message?: string
            /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
            readonly url?: string
            /** The icon or picture of the notification. */
            readonly image_url?: string
            /** A large picture, shown by browsers of the Chromium family. */
            readonly hero_image_url?: string
            /** Text of the first button, shown by browsers of the Chromium family. */
            readonly button_one_title?: string
            /** The link of the first button; url when absent. It needs button_one_title. */
            readonly button_one_url?: string
            /** Text of the second button. */
            readonly button_two_title?: string
            /** The link of the second button; url when absent. It needs button_two_title. */
            readonly button_two_url?: string
          }
        >
      >
      /** Your own id of the notification. Replies and reports return it, and a later notification with the same id replaces this one on the device. */
      readonly notification_id?: (number | bigint) | string
      /** The saved template that fills in the content fields which this body does not have. Then title and message are optional. */
      readonly template_id?: (number | bigint) | string
      /** The version of the template; the newest when absent. It needs template_id. */
      readonly template_version?: (number | bigint) | string
      /** The title. It may hold Liquid. Optional when silent is true. */
      readonly title?: string
      /** The text. It may hold Liquid. Optional when silent is true. */
      readonly message?: string
      /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
      readonly url?: string
      /** The icon or picture of the notification. */
      readonly image_url?: string
      /** A large picture, shown by browsers of the Chromium family. */
      readonly hero_image_url?: string
      /** Text of the first button, shown by browsers of the Chromium family. */
      readonly button_one_title?: string
      /** The link of the first button; url when absent. It needs button_one_title. */
      readonly button_one_url?: string
      /** Text of the second button. */
      readonly button_two_title?: string
      /** The link of the second button; url when absent. It needs button_two_title. */
      readonly button_two_url?: string
      /** Seconds from now until the notification is sent. Not together with schedule_date. */
      readonly time?: (number | bigint) | string
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** How long the message may wait for a device that is offline, counted from the moment it is due; 259200 when absent. */
      readonly ttl_seconds?: (number | bigint) | string
      /** Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true. */
      readonly priority?: 'high' | 'normal'
      /** The number on the app icon. */
      readonly badge?: (number | bigint) | string
      /** The sound to play: a file of the app, default, or none. When absent, the default_sound of the brand. */
      readonly sound?: string
      /** The notification channel of the Android app. */
      readonly android_channel?: string
      /** True shows nothing; the app gets the fields and decides. Not on the web. */
      readonly silent?: boolean
      /** Your own strings for the app. */
      readonly data?: Readonly<Record<string, string>>
      /** Sends to at most this many subscriptions a second, so that not all taps arrive at once. */
      readonly per_second?: (number | bigint) | string
      /** True also notifies people who already got as many notifications today as the brand allows. */
      readonly ignore_frequency_cap?: boolean
      /** True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them. */
      readonly include_virtual_devices?: boolean
      /** True checks the request and returns the audience and the rendered payload. Nothing is stored or sent. */
      readonly dry_run?: boolean
    } & (
      | {
          readonly title: string
          readonly message: string
        }
      | {
          readonly template_id: Json
        }
      | {
          readonly silent: true
        }
    )
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
  /** Notify the subscribers of one segment (Android) */
  readonly 'POST /api/v1/android/broadcast/segment': {
    readonly body: {
      /** The segment to notify. */
      readonly segment_id: (number | bigint) | string
      /** Narrows the audience to subscriptions that carry this tag. */
      readonly tag?: string
      /** The topic of the message: people who opted out of it get nothing. transactional reaches everybody, at any hour. */
      readonly topic?: string
      /** Content in other languages, by language tag: {"fr":{"title":"…","message":"…"}}. A field that a language does not have is taken from the content above. A device gets its own language, else that of its person, else that of the brand, else the content above. */
      readonly languages?: Readonly<
        Record<
          string,
          {
            /** The title. It may hold Liquid. Optional when silent is true. */
            readonly title?: string
            /** The text. It may hold Liquid. Optional when silent is true. */
            readonly message?: string
            /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
            readonly url?: string
            /** The icon or picture of the notification. */
            readonly image_url?: string
            /** A large picture, shown by browsers of the Chromium family. */
            readonly hero_image_url?: string
            /** Text of the first button, shown by browsers of the Chromium family. */
            readonly button_one_title?: string
            /** The link of the first button; url when absent. It needs button_one_title. */
            readonly button_one_url?: string
            /** Text of the second button. */
            readonly button_two_title?: string
            /** The link of the second button; url when absent. It needs button_two_title. */
            readonly button_two_url?: string
          }
        >
      >
      /** Your own id of the notification. Replies and reports return it, and a later notification with the same id replaces this one on the device. */
      readonly notification_id?: (number | bigint) | string
      /** The saved template that fills in the content fields which this body does not have. Then title and message are optional. */
      readonly template_id?: (number | bigint) | string
      /** The version of the template; the newest when absent. It needs template_id. */
      readonly template_version?: (number | bigint) | string
      /** The title. It may hold Liquid. Optional when silent is true. */
      readonly title?: string
      /** The text. It may hold Liquid. Optional when silent is true. */
      readonly message?: string
      /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
      readonly url?: string
      /** The icon or picture of the notification. */
      readonly image_url?: string
      /** A large picture, shown by browsers of the Chromium family. */
      readonly hero_image_url?: string
      /** Text of the first button, shown by browsers of the Chromium family. */
      readonly button_one_title?: string
      /** The link of the first button; url when absent. It needs button_one_title. */
      readonly button_one_url?: string
      /** Text of the second button. */
      readonly button_two_title?: string
      /** The link of the second button; url when absent. It needs button_two_title. */
      readonly button_two_url?: string
      /** Seconds from now until the notification is sent. Not together with schedule_date. */
      readonly time?: (number | bigint) | string
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** How long the message may wait for a device that is offline, counted from the moment it is due; 259200 when absent. */
      readonly ttl_seconds?: (number | bigint) | string
      /** Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true. */
      readonly priority?: 'high' | 'normal'
      /** The number on the app icon. */
      readonly badge?: (number | bigint) | string
      /** The sound to play: a file of the app, default, or none. When absent, the default_sound of the brand. */
      readonly sound?: string
      /** The notification channel of the Android app. */
      readonly android_channel?: string
      /** True shows nothing; the app gets the fields and decides. Not on the web. */
      readonly silent?: boolean
      /** Your own strings for the app. */
      readonly data?: Readonly<Record<string, string>>
      /** Sends to at most this many subscriptions a second, so that not all taps arrive at once. */
      readonly per_second?: (number | bigint) | string
      /** True also notifies people who already got as many notifications today as the brand allows. */
      readonly ignore_frequency_cap?: boolean
      /** True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them. */
      readonly include_virtual_devices?: boolean
      /** True checks the request and returns the audience and the rendered payload. Nothing is stored or sent. */
      readonly dry_run?: boolean
    } & (
      | {
          readonly title: string
          readonly message: string
        }
      | {
          readonly template_id: Json
        }
      | {
          readonly silent: true
        }
    )
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
  /** Notify one subscriber (iOS) */
  readonly 'POST /api/v1/ios/send': {
    readonly body: {
      /** The user to notify, on all of their devices of this platform. */
      readonly user_id?: string
      /** The one subscription to notify. */
      readonly subscription_id?: string
      /** The user or the subscription to notify. The contract writes both names in this one key. Also spelled `user_id / subscription_id`, `user_id /subscription_id`, `user_id/ subscription_id`. */
      readonly 'user_id/subscription_id'?: string
      /** The iOS device to notify, by its identifier for vendors. */
      readonly ios_ifv?: string
      /** Narrows the audience to subscriptions that carry this tag. */
      readonly tag?: string
      /** The topic of the message: people who opted out of it get nothing. transactional reaches everybody, at any hour. */
      readonly topic?: string
      /** Content in other languages, by language tag: {"fr":{"title":"…","message":"…"}}. A field that a language does not have is taken from the content above. A device gets its own language, else that of its person, else that of the brand, else the content above. */
      readonly languages?: Readonly<
        Record<
          string,
          {
            /** The title. It may hold Liquid. Optional when silent is true. */
            readonly title?: string
            /** The text. It may hold Liquid. Optional when silent is true. */
            readonly message?: string
            /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
            readonly url?: string
            /** The icon or picture of the notification. */
            readonly image_url?: string
            /** A large picture, shown by browsers of the Chromium family. */
            readonly hero_image_url?: string
            /** Text of the first button, shown by browsers of the Chromium family. */
            readonly button_one_title?: string
            /** The link of the first button; url when absent. It needs button_one_title. */
            readonly button_one_url?: string
            /** Text of the second button. */
            readonly button_two_title?: string
            /** The link of the second button; url when absent. It needs button_two_title. */
            readonly button_two_url?: string
          }
        >
      >
      /** Your own id of the notification. Replies and reports return it, and a later notification with the same id replaces this one on the device. */
      readonly notification_id?: (number | bigint) | string
      /** The saved template that fills in the content fields which this body does not have. Then title and message are optional. */
      readonly template_id?: (number | bigint) | string
      /** The version of the template; the newest when absent. It needs template_id. */
      readonly template_version?: (number | bigint) | string
      /** The title. It may hold Liquid. Optional when silent is true. */
      readonly title?: string
      /** The text. It may hold Liquid. Optional when silent is true. */
      readonly message?: string
      /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
      readonly url?: string
      /** The icon or picture of the notification. */
      readonly image_url?: string
      /** A large picture, shown by browsers of the Chromium family. */
      readonly hero_image_url?: string
      /** Text of the first button, shown by browsers of the Chromium family. */
      readonly button_one_title?: string
      /** The link of the first button; url when absent. It needs button_one_title. */
      readonly button_one_url?: string
      /** Text of the second button. */
      readonly button_two_title?: string
      /** The link of the second button; url when absent. It needs button_two_title. */
      readonly button_two_url?: string
      /** Seconds from now until the notification is sent. Not together with schedule_date. */
      readonly time?: (number | bigint) | string
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** How long the message may wait for a device that is offline, counted from the moment it is due; 259200 when absent. */
      readonly ttl_seconds?: (number | bigint) | string
      /** Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true. */
      readonly priority?: 'high' | 'normal'
      /** The number on the app icon. */
      readonly badge?: (number | bigint) | string
      /** The sound to play: a file of the app, default, or none. When absent, the default_sound of the brand. */
      readonly sound?: string
      /** The category that the iOS app has registered, which gives the notification its buttons. */
      readonly category?: string
      /** Notifications with the same thread_id are shown as one group. */
      readonly thread_id?: string
      /** How much the notification may disturb. time-sensitive and critical need an entitlement of the app. */
      readonly interruption_level?: InterruptionLevel
      /** From 0 to 1: which notification of the app iOS shows first in its summary. */
      readonly relevance_score?: number
      /** True shows nothing; the app gets the fields and decides. Not on the web. */
      readonly silent?: boolean
      /** Your own strings for the app. */
      readonly data?: Readonly<Record<string, string>>
      /** True checks the request and returns the audience and the rendered payload. Nothing is stored or sent. */
      readonly dry_run?: boolean
    } & (
      | {
          readonly title: string
          readonly message: string
        }
      | {
          readonly template_id: Json
        }
      | {
          readonly silent: true
        }
    )
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
  /** Notify every subscriber of the platform (iOS) */
  readonly 'POST /api/v1/ios/broadcast/all': {
    readonly body: {
      /** Narrows the audience to subscriptions that carry this tag. */
      readonly tag?: string
      /** The topic of the message: people who opted out of it get nothing. transactional reaches everybody, at any hour. */
      readonly topic?: string
      /** Content in other languages, by language tag: {"fr":{"title":"…","message":"…"}}. A field that a language does not have is taken from the content above. A device gets its own language, else that of its person, else that of the brand, else the content above. */
      readonly languages?: Readonly<
        Record<
          string,
          {
            /** The title. It may hold Liquid. Optional when silent is true. */
            readonly title?: string
            /** The text. It may hold Liquid. Optional when silent is true. */
            readonly message?: string
            /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
            readonly url?: string
            /** The icon or picture of the notification. */
            readonly image_url?: string
            /** A large picture, shown by browsers of the Chromium family. */
            readonly hero_image_url?: string
            /** Text of the first button, shown by browsers of the Chromium family. */
            readonly button_one_title?: string
            /** The link of the first button; url when absent. It needs button_one_title. */
            readonly button_one_url?: string
            /** Text of the second button. */
            readonly button_two_title?: string
            /** The link of the second button; url when absent. It needs button_two_title. */
            readonly button_two_url?: string
          }
        >
      >
      /** Your own id of the notification. Replies and reports return it, and a later notification with the same id replaces this one on the device. */
      readonly notification_id?: (number | bigint) | string
      /** The saved template that fills in the content fields which this body does not have. Then title and message are optional. */
      readonly template_id?: (number | bigint) | string
      /** The version of the template; the newest when absent. It needs template_id. */
      readonly template_version?: (number | bigint) | string
      /** The title. It may hold Liquid. Optional when silent is true. */
      readonly title?: string
      /** The text. It may hold Liquid. Optional when silent is true. */
      readonly message?: string
      /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
      readonly url?: string
      /** The icon or picture of the notification. */
      readonly image_url?: string
      /** A large picture, shown by browsers of the Chromium family. */
      readonly hero_image_url?: string
      /** Text of the first button, shown by browsers of the Chromium family. */
      readonly button_one_title?: string
      /** The link of the first button; url when absent. It needs button_one_title. */
      readonly button_one_url?: string
      /** Text of the second button. */
      readonly button_two_title?: string
      /** The link of the second button; url when absent. It needs button_two_title. */
      readonly button_two_url?: string
      /** Seconds from now until the notification is sent. Not together with schedule_date. */
      readonly time?: (number | bigint) | string
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** How long the message may wait for a device that is offline, counted from the moment it is due; 259200 when absent. */
      readonly ttl_seconds?: (number | bigint) | string
      /** Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true. */
      readonly priority?: 'high' | 'normal'
      /** The number on the app icon. */
      readonly badge?: (number | bigint) | string
      /** The sound to play: a file of the app, default, or none. When absent, the default_sound of the brand. */
      readonly sound?: string
      /** The category that the iOS app has registered, which gives the notification its buttons. */
      readonly category?: string
      /** Notifications with the same thread_id are shown as one group. */
      readonly thread_id?: string
      /** How much the notification may disturb. time-sensitive and critical need an entitlement of the app. */
      readonly interruption_level?: InterruptionLevel
      /** From 0 to 1: which notification of the app iOS shows first in its summary. */
      readonly relevance_score?: number
      /** True shows nothing; the app gets the fields and decides. Not on the web. */
      readonly silent?: boolean
      /** Your own strings for the app. */
      readonly data?: Readonly<Record<string, string>>
      /** Sends to at most this many subscriptions a second, so that not all taps arrive at once. */
      readonly per_second?: (number | bigint) | string
      /** True also notifies people who already got as many notifications today as the brand allows. */
      readonly ignore_frequency_cap?: boolean
      /** True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them. */
      readonly include_virtual_devices?: boolean
      /** True checks the request and returns the audience and the rendered payload. Nothing is stored or sent. */
      readonly dry_run?: boolean
    } & (
      | {
          readonly title: string
          readonly message: string
        }
      | {
          readonly template_id: Json
        }
      | {
          readonly silent: true
        }
    )
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
  /** Notify the subscribers of one segment (iOS) */
  readonly 'POST /api/v1/ios/broadcast/segment': {
    readonly body: {
      /** The segment to notify. */
      readonly segment_id: (number | bigint) | string
      /** Narrows the audience to subscriptions that carry this tag. */
      readonly tag?: string
      /** The topic of the message: people who opted out of it get nothing. transactional reaches everybody, at any hour. */
      readonly topic?: string
      /** Content in other languages, by language tag: {"fr":{"title":"…","message":"…"}}. A field that a language does not have is taken from the content above. A device gets its own language, else that of its person, else that of the brand, else the content above. */
      readonly languages?: Readonly<
        Record<
          string,
          {
            /** The title. It may hold Liquid. Optional when silent is true. */
            readonly title?: string
            /** The text. It may hold Liquid. Optional when silent is true. */
            readonly message?: string
            /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
            readonly url?: string
            /** The icon or picture of the notification. */
            readonly image_url?: string
            /** A large picture, shown by browsers of the Chromium family. */
            readonly hero_image_url?: string
            /** Text of the first button, shown by browsers of the Chromium family. */
            readonly button_one_title?: string
            /** The link of the first button; url when absent. It needs button_one_title. */
            readonly button_one_url?: string
            /** Text of the second button. */
            readonly button_two_title?: string
            /** The link of the second button; url when absent. It needs button_two_title. */
            readonly button_two_url?: string
          }
        >
      >
      /** Your own id of the notification. Replies and reports return it, and a later notification with the same id replaces this one on the device. */
      readonly notification_id?: (number | bigint) | string
      /** The saved template that fills in the content fields which this body does not have. Then title and message are optional. */
      readonly template_id?: (number | bigint) | string
      /** The version of the template; the newest when absent. It needs template_id. */
      readonly template_version?: (number | bigint) | string
      /** The title. It may hold Liquid. Optional when silent is true. */
      readonly title?: string
      /** The text. It may hold Liquid. Optional when silent is true. */
      readonly message?: string
      /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
      readonly url?: string
      /** The icon or picture of the notification. */
      readonly image_url?: string
      /** A large picture, shown by browsers of the Chromium family. */
      readonly hero_image_url?: string
      /** Text of the first button, shown by browsers of the Chromium family. */
      readonly button_one_title?: string
      /** The link of the first button; url when absent. It needs button_one_title. */
      readonly button_one_url?: string
      /** Text of the second button. */
      readonly button_two_title?: string
      /** The link of the second button; url when absent. It needs button_two_title. */
      readonly button_two_url?: string
      /** Seconds from now until the notification is sent. Not together with schedule_date. */
      readonly time?: (number | bigint) | string
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** How long the message may wait for a device that is offline, counted from the moment it is due; 259200 when absent. */
      readonly ttl_seconds?: (number | bigint) | string
      /** Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true. */
      readonly priority?: 'high' | 'normal'
      /** The number on the app icon. */
      readonly badge?: (number | bigint) | string
      /** The sound to play: a file of the app, default, or none. When absent, the default_sound of the brand. */
      readonly sound?: string
      /** The category that the iOS app has registered, which gives the notification its buttons. */
      readonly category?: string
      /** Notifications with the same thread_id are shown as one group. */
      readonly thread_id?: string
      /** How much the notification may disturb. time-sensitive and critical need an entitlement of the app. */
      readonly interruption_level?: InterruptionLevel
      /** From 0 to 1: which notification of the app iOS shows first in its summary. */
      readonly relevance_score?: number
      /** True shows nothing; the app gets the fields and decides. Not on the web. */
      readonly silent?: boolean
      /** Your own strings for the app. */
      readonly data?: Readonly<Record<string, string>>
      /** Sends to at most this many subscriptions a second, so that not all taps arrive at once. */
      readonly per_second?: (number | bigint) | string
      /** True also notifies people who already got as many notifications today as the brand allows. */
      readonly ignore_frequency_cap?: boolean
      /** True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them. */
      readonly include_virtual_devices?: boolean
      /** True checks the request and returns the audience and the rendered payload. Nothing is stored or sent. */
      readonly dry_run?: boolean
    } & (
      | {
          readonly title: string
          readonly message: string
        }
      | {
          readonly template_id: Json
        }
      | {
          readonly silent: true
        }
    )
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
  /** Notify one subscriber (Web) */
  readonly 'POST /api/v1/web/send': {
    readonly body: {
      /** The user to notify, on all of their devices of this platform. */
      readonly user_id?: string
      /** The one subscription to notify. */
      readonly subscription_id?: string
      /** The user or the subscription to notify. The contract writes both names in this one key. Also spelled `user_id / subscription_id`, `user_id /subscription_id`, `user_id/ subscription_id`. */
      readonly 'user_id/subscription_id'?: string
      /** Narrows the audience to subscriptions that carry this tag. */
      readonly tag?: string
      /** The topic of the message: people who opted out of it get nothing. transactional reaches everybody, at any hour. */
      readonly topic?: string
      /** Content in other languages, by language tag: {"fr":{"title":"…","message":"…"}}. A field that a language does not have is taken from the content above. A device gets its own language, else that of its person, else that of the brand, else the content above. */
      readonly languages?: Readonly<
        Record<
          string,
          {
            /** The title. It may hold Liquid. Optional when silent is true. */
            readonly title?: string
            /** The text. It may hold Liquid. Optional when silent is true. */
            readonly message?: string
            /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
            readonly url?: string
            /** The icon or picture of the notification. */
            readonly image_url?: string
            /** A large picture, shown by browsers of the Chromium family. */
            readonly hero_image_url?: string
            /** Text of the first button, shown by browsers of the Chromium family. */
            readonly button_one_title?: string
            /** The link of the first button; url when absent. It needs button_one_title. */
            readonly button_one_url?: string
            /** Text of the second button. */
            readonly button_two_title?: string
            /** The link of the second button; url when absent. It needs button_two_title. */
            readonly button_two_url?: string
          }
        >
      >
      /** Your own id of the notification. Replies and reports return it, and a later notification with the same id replaces this one on the device. */
      readonly notification_id?: (number | bigint) | string
      /** The saved template that fills in the content fields which this body does not have. Then title and message are optional. */
      readonly template_id?: (number | bigint) | string
      /** The version of the template; the newest when absent. It needs template_id. */
      readonly template_version?: (number | bigint) | string
      /** The title. It may hold Liquid. Optional when silent is true. */
      readonly title?: string
      /** The text. It may hold Liquid. Optional when silent is true. */
      readonly message?: string
      /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
      readonly url?: string
      /** The icon or picture of the notification. */
      readonly image_url?: string
      /** A large picture, shown by browsers of the Chromium family. */
      readonly hero_image_url?: string
      /** Text of the first button, shown by browsers of the Chromium family. */
      readonly button_one_title?: string
      /** The link of the first button; url when absent. It needs button_one_title. */
      readonly button_one_url?: string
      /** Text of the second button. */
      readonly button_two_title?: string
      /** The link of the second button; url when absent. It needs button_two_title. */
      readonly button_two_url?: string
      /** Seconds from now until the notification is sent. Not together with schedule_date. */
      readonly time?: (number | bigint) | string
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** How long the message may wait for a device that is offline, counted from the moment it is due; 259200 when absent. */
      readonly ttl_seconds?: (number | bigint) | string
      /** Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true. */
      readonly priority?: 'high' | 'normal'
      /** The number on the app icon. */
      readonly badge?: (number | bigint) | string
      /** True shows nothing; the app gets the fields and decides. Not on the web. */
      readonly silent?: false
      /** Your own strings for the app. */
      readonly data?: Readonly<Record<string, string>>
      /** True checks the request and returns the audience and the rendered payload. Nothing is stored or sent. */
      readonly dry_run?: boolean
    } & (
      | {
          readonly title: string
          readonly message: string
        }
      | {
          readonly template_id: Json
        }
      | {
          readonly silent: true
        }
    )
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
  /** Notify every subscriber of the platform (Web) */
  readonly 'POST /api/v1/web/broadcast/all': {
    readonly body: {
      /** Narrows the audience to subscriptions that carry this tag. */
      readonly tag?: string
      /** The topic of the message: people who opted out of it get nothing. transactional reaches everybody, at any hour. */
      readonly topic?: string
      /** Content in other languages, by language tag: {"fr":{"title":"…","message":"…"}}. A field that a language does not have is taken from the content above. A device gets its own language, else that of its person, else that of the brand, else the content above. */
      readonly languages?: Readonly<
        Record<
          string,
          {
            /** The title. It may hold Liquid. Optional when silent is true. */
            readonly title?: string
            /** The text. It may hold Liquid. Optional when silent is true. */
            readonly message?: string
            /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
            readonly url?: string
            /** The icon or picture of the notification. */
            readonly image_url?: string
            /** A large picture, shown by browsers of the Chromium family. */
            readonly hero_image_url?: string
            /** Text of the first button, shown by browsers of the Chromium family. */
            readonly button_one_title?: string
            /** The link of the first button; url when absent. It needs button_one_title. */
            readonly button_one_url?: string
            /** Text of the second button. */
            readonly button_two_title?: string
            /** The link of the second button; url when absent. It needs button_two_title. */
            readonly button_two_url?: string
          }
        >
      >
      /** Your own id of the notification. Replies and reports return it, and a later notification with the same id replaces this one on the device. */
      readonly notification_id?: (number | bigint) | string
      /** The saved template that fills in the content fields which this body does not have. Then title and message are optional. */
      readonly template_id?: (number | bigint) | string
      /** The version of the template; the newest when absent. It needs template_id. */
      readonly template_version?: (number | bigint) | string
      /** The title. It may hold Liquid. Optional when silent is true. */
      readonly title?: string
      /** The text. It may hold Liquid. Optional when silent is true. */
      readonly message?: string
      /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
      readonly url?: string
      /** The icon or picture of the notification. */
      readonly image_url?: string
      /** A large picture, shown by browsers of the Chromium family. */
      readonly hero_image_url?: string
      /** Text of the first button, shown by browsers of the Chromium family. */
      readonly button_one_title?: string
      /** The link of the first button; url when absent. It needs button_one_title. */
      readonly button_one_url?: string
      /** Text of the second button. */
      readonly button_two_title?: string
      /** The link of the second button; url when absent. It needs button_two_title. */
      readonly button_two_url?: string
      /** Seconds from now until the notification is sent. Not together with schedule_date. */
      readonly time?: (number | bigint) | string
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** How long the message may wait for a device that is offline, counted from the moment it is due; 259200 when absent. */
      readonly ttl_seconds?: (number | bigint) | string
      /** Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true. */
      readonly priority?: 'high' | 'normal'
      /** The number on the app icon. */
      readonly badge?: (number | bigint) | string
      /** True shows nothing; the app gets the fields and decides. Not on the web. */
      readonly silent?: false
      /** Your own strings for the app. */
      readonly data?: Readonly<Record<string, string>>
      /** Sends to at most this many subscriptions a second, so that not all taps arrive at once. */
      readonly per_second?: (number | bigint) | string
      /** True also notifies people who already got as many notifications today as the brand allows. */
      readonly ignore_frequency_cap?: boolean
      /** True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them. */
      readonly include_virtual_devices?: boolean
      /** True checks the request and returns the audience and the rendered payload. Nothing is stored or sent. */
      readonly dry_run?: boolean
    } & (
      | {
          readonly title: string
          readonly message: string
        }
      | {
          readonly template_id: Json
        }
      | {
          readonly silent: true
        }
    )
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
  /** Notify the subscribers of one segment (Web) */
  readonly 'POST /api/v1/web/broadcast/segment': {
    readonly body: {
      /** The segment to notify. */
      readonly segment_id: (number | bigint) | string
      /** Narrows the audience to subscriptions that carry this tag. */
      readonly tag?: string
      /** The topic of the message: people who opted out of it get nothing. transactional reaches everybody, at any hour. */
      readonly topic?: string
      /** Content in other languages, by language tag: {"fr":{"title":"…","message":"…"}}. A field that a language does not have is taken from the content above. A device gets its own language, else that of its person, else that of the brand, else the content above. */
      readonly languages?: Readonly<
        Record<
          string,
          {
            /** The title. It may hold Liquid. Optional when silent is true. */
            readonly title?: string
            /** The text. It may hold Liquid. Optional when silent is true. */
            readonly message?: string
            /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
            readonly url?: string
            /** The icon or picture of the notification. */
            readonly image_url?: string
            /** A large picture, shown by browsers of the Chromium family. */
            readonly hero_image_url?: string
            /** Text of the first button, shown by browsers of the Chromium family. */
            readonly button_one_title?: string
            /** The link of the first button; url when absent. It needs button_one_title. */
            readonly button_one_url?: string
            /** Text of the second button. */
            readonly button_two_title?: string
            /** The link of the second button; url when absent. It needs button_two_title. */
            readonly button_two_url?: string
          }
        >
      >
      /** Your own id of the notification. Replies and reports return it, and a later notification with the same id replaces this one on the device. */
      readonly notification_id?: (number | bigint) | string
      /** The saved template that fills in the content fields which this body does not have. Then title and message are optional. */
      readonly template_id?: (number | bigint) | string
      /** The version of the template; the newest when absent. It needs template_id. */
      readonly template_version?: (number | bigint) | string
      /** The title. It may hold Liquid. Optional when silent is true. */
      readonly title?: string
      /** The text. It may hold Liquid. Optional when silent is true. */
      readonly message?: string
      /** The link that a tap opens; the app or the site when absent. It may hold Liquid. */
      readonly url?: string
      /** The icon or picture of the notification. */
      readonly image_url?: string
      /** A large picture, shown by browsers of the Chromium family. */
      readonly hero_image_url?: string
      /** Text of the first button, shown by browsers of the Chromium family. */
      readonly button_one_title?: string
      /** The link of the first button; url when absent. It needs button_one_title. */
      readonly button_one_url?: string
      /** Text of the second button. */
      readonly button_two_title?: string
      /** The link of the second button; url when absent. It needs button_two_title. */
      readonly button_two_url?: string
      /** Seconds from now until the notification is sent. Not together with schedule_date. */
      readonly time?: (number | bigint) | string
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** How long the message may wait for a device that is offline, counted from the moment it is due; 259200 when absent. */
      readonly ttl_seconds?: (number | bigint) | string
      /** Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true. */
      readonly priority?: 'high' | 'normal'
      /** The number on the app icon. */
      readonly badge?: (number | bigint) | string
      /** True shows nothing; the app gets the fields and decides. Not on the web. */
      readonly silent?: false
      /** Your own strings for the app. */
      readonly data?: Readonly<Record<string, string>>
      /** Sends to at most this many subscriptions a second, so that not all taps arrive at once. */
      readonly per_second?: (number | bigint) | string
      /** True also notifies people who already got as many notifications today as the brand allows. */
      readonly ignore_frequency_cap?: boolean
      /** True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them. */
      readonly include_virtual_devices?: boolean
      /** True checks the request and returns the audience and the rendered payload. Nothing is stored or sent. */
      readonly dry_run?: boolean
    } & (
      | {
          readonly title: string
          readonly message: string
        }
      | {
          readonly template_id: Json
        }
      | {
          readonly silent: true
        }
    )
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
}
