// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Check, Shown, Subscription } from './common.ts'

import type {
  CampaignAudience,
  CampaignBestHour,
  CampaignContent,
  CampaignGoal,
  CampaignVariant,
  CampaignWinner,
} from './documents.ts'
import type { Success } from './envelope.ts'

export type Campaign = {
  readonly campaign_id: number | bigint
  readonly name: string
  readonly tags: readonly string[]
  readonly state:
    | 'draft'
    | 'awaiting_approval'
    | 'scheduled'
    | 'sending'
    | 'deciding'
    | 'sent'
    | 'failed'
    | 'cancelled'
  readonly reason: string | null
  /** Grows with each change. */
  readonly version: number
  /** Any of android, ios and web; all of them when absent. */
  readonly platforms?: readonly string[]
  /** every_device, or latest_device: only the device that a person used last, over all platforms. every_device when absent. */
  readonly reach?: 'every_device' | 'latest_device'
  /** The fields of a push that say what is shown: title, message, url … */
  readonly content?: CampaignContent
  /** Fields that take the place of those in content on Android. */
  readonly android?: CampaignContent
  /** Fields that take the place of those in content on iOS. */
  readonly ios?: CampaignContent
  /** Fields that take the place of those in content in browsers. */
  readonly web?: CampaignContent
  /** Two to eight contents that are compared. A person gets the same one on all devices. A variant of weight 0 is sent to nobody. */
  readonly variants?: readonly CampaignVariant[]
  /** The percentage of the audience, chosen by chance, that gets nothing, for comparison; 0 when absent. */
  readonly holdout_percent?: (number | bigint) | string
  /** Tries the variants on a part of the audience first; the rest gets the better one. */
  readonly winner?: CampaignWinner
  /** The event that the campaign is to bring about. */
  readonly goal?: CampaignGoal
  /** In place of a schedule: each person gets the message at the hour of the day at which they are most often active. */
  readonly best_hour?: CampaignBestHour
  /** Nothing leaves before so many seconds after the launch are over; 0 when absent. */
  readonly undo_seconds?: (number | bigint) | string
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
  /** The day to send on, together with schedule_time. */
  readonly schedule_date?: string
  /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
  readonly schedule_time?: string
  /** The zone of the schedule; 0, which is UTC, when absent. */
  readonly time_zone?: string | number
  /** Sends to at most this many subscriptions a second, so that not all taps arrive at once. */
  readonly per_second?: (number | bigint) | string
  /** True also notifies people who already got as many notifications today as the brand allows. */
  readonly ignore_frequency_cap?: boolean
  /** True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them. */
  readonly include_virtual_devices?: boolean
  /** As it was written; of a list of people, only its length. */
  readonly audience: Readonly<Record<string, Json>>
  /** The people in the audience, counted at the launch; a device without a person counts as one. */
  readonly people: number | null
  /** The people with an accepted message, counted when the campaign is over. */
  readonly people_reached: number | null
  /** The devices that it addresses, over all platforms; null until they are chosen. */
  readonly devices: number | null
  readonly accepted: number
  readonly failed: number
  readonly expired: number
  readonly cancelled: number
  readonly pending: number
  /** Messages that were clicked. */
  readonly clicked: number
  /** One for each platform, from the launch on. */
  readonly notifications: readonly Notification[]
  /** An API key, `key:<id>`, or a member, `member:<id>`. */
  readonly created_by: string
  readonly created_at: string
  readonly updated_at: string
  readonly requested_by: string | null
  readonly requested_at: string | null
  readonly approved_by: string | null
  readonly approved_at: string | null
  readonly launched_at: string | null
  /** No message leaves before. */
  readonly send_at: string | null
  readonly finished_at: string | null
  readonly archived_at: string | null
}

export type Notification = {
  readonly id: string
  readonly platform: 'android' | 'ios' | 'web'
  readonly state: 'scheduled' | 'queued' | 'sending' | 'sent' | 'cancelled' | 'failed'
  readonly reason: string | null
  readonly audience: number | null
  readonly accepted: number
  readonly failed: number
  readonly expired: number
  readonly cancelled: number
  readonly pending: number
  /** Messages that were clicked. */
  readonly clicked: number
}

export type Android = {
  readonly people: number
  readonly devices: number
  /** The message for the first device that was found, or for the person in user_id. */
  readonly payload: Json
  /** The same message in words, for a preview; null if nothing is shown. */
  readonly shown: Shown | null
  /** The language of payload and shown; null if the campaign has one language only. */
  readonly language: string | null
  /** Absent if the campaign has one language only. */
  readonly languages?: readonly Language[]
}

export type Language = {
  /** A tag of the campaign, or `default`. */
  readonly language: string
  /** The devices that get this language. */
  readonly devices: number
  /** The message in this language; null if it was not rendered. */
  readonly payload: Json
}

export type Explanation = {
  readonly user_id: string
  /** Whether the message would reach the person if the campaign was launched now: no check failed. */
  readonly would_reach: boolean
  /** In the order in which they are asked. */
  readonly checks: readonly Check[]
}

export type Clicked = {
  readonly rate: number
  readonly low: number
  readonly high: number
}

export type Attributed = {
  /** The goal events that count for the last message before them. */
  readonly conversions: number
  readonly people: number
  /** The sum of their ltv, a decimal. */
  readonly ltv: string
  readonly rate: number
}

export type Uplift = {
  readonly kind: 'measured' | 'not_enough_data' | 'no_control'
  readonly sent?: Sent
  readonly held?: Sent
  readonly difference?: Difference
}

export type Sent = {
  readonly people: number
  readonly reached: number
  readonly rate: number
}

export type Difference = {
  readonly value: number
  readonly low: number
  readonly high: number
}

export type CampaignsApi = {
  /** Create a campaign */
  readonly 'POST /api/v1/campaigns': {
    readonly body: {
      /** The name of the campaign, for people. */
      readonly name: string
      /** Words by which the list of campaigns can be narrowed. */
      readonly tags?: readonly string[]
      /** The people and devices that the campaign is for. */
      readonly audience: CampaignAudience
      /** Any of android, ios and web; all of them when absent. */
      readonly platforms?: readonly string[]
      /** every_device, or latest_device: only the device that a person used last, over all platforms. every_device when absent. */
      readonly reach?: 'every_device' | 'latest_device'
      /** The fields of a push that say what is shown: title, message, url … */
      readonly content: CampaignContent
      /** Fields that take the place of those in content on Android. */
      readonly android?: CampaignContent
      /** Fields that take the place of those in content on iOS. */
      readonly ios?: CampaignContent
      /** Fields that take the place of those in content in browsers. */
      readonly web?: CampaignContent
      /** Two to eight contents that are compared. A person gets the same one on all devices. A variant of weight 0 is sent to nobody. */
      readonly variants?: readonly CampaignVariant[]
      /** The percentage of the audience, chosen by chance, that gets nothing, for comparison; 0 when absent. */
      readonly holdout_percent?: (number | bigint) | string
      /** Tries the variants on a part of the audience first; the rest gets the better one. */
      readonly winner?: CampaignWinner
      /** The event that the campaign is to bring about. */
      readonly goal?: CampaignGoal
      /** In place of a schedule: each person gets the message at the hour of the day at which they are most often active. */
      readonly best_hour?: CampaignBestHour
      /** Nothing leaves before so many seconds after the launch are over; 0 when absent. */
      readonly undo_seconds?: (number | bigint) | string
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
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** Sends to at most this many subscriptions a second, so that not all taps arrive at once. */
      readonly per_second?: (number | bigint) | string
      /** True also notifies people who already got as many notifications today as the brand allows. */
      readonly ignore_frequency_cap?: boolean
      /** True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them. */
      readonly include_virtual_devices?: boolean
    }
    readonly reply: Success & {
      readonly campaign: Campaign
    }
  }
  /** List campaigns */
  readonly 'GET /api/v1/campaigns': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** True lists only archived ones. */
      readonly archived?: boolean
      readonly state?:
        | 'draft'
        | 'awaiting_approval'
        | 'scheduled'
        | 'sending'
        | 'deciding'
        | 'sent'
        | 'failed'
        | 'cancelled'
      /** A part of the name, in any case. */
      readonly text?: string
      /** One of the tags. */
      readonly tag?: string
      /** Created at or after this instant, as ISO 8601. */
      readonly from?: string
      /** Created before this instant, as ISO 8601. */
      readonly to?: string
    }
    readonly reply: Success & {
      readonly campaigns: readonly Campaign[]
      readonly next_cursor: string | null
    }
  }
  /** Read a campaign with its present counts */
  readonly 'GET /api/v1/campaigns/{campaign_id}': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly reply: Success & {
      readonly campaign: Campaign
    }
  }
  /** Change a campaign */
  readonly 'PATCH /api/v1/campaigns/{campaign_id}': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly body: {
      /** The version that you read. The change is refused if the campaign was changed since. */
      readonly version: (number | bigint) | string
      /** The name of the campaign, for people. */
      readonly name?: string
      /** Words by which the list of campaigns can be narrowed. */
      readonly tags?: readonly string[]
      /** The people and devices that the campaign is for. */
      readonly audience?: CampaignAudience
      /** Any of android, ios and web; all of them when absent. */
      readonly platforms?: readonly string[]
      /** every_device, or latest_device: only the device that a person used last, over all platforms. every_device when absent. */
      readonly reach?: 'every_device' | 'latest_device'
      /** The fields of a push that say what is shown: title, message, url … */
      readonly content?: CampaignContent
      /** Fields that take the place of those in content on Android. */
      readonly android?: CampaignContent
      /** Fields that take the place of those in content on iOS. */
      readonly ios?: CampaignContent
      /** Fields that take the place of those in content in browsers. */
      readonly web?: CampaignContent
      /** Two to eight contents that are compared. A person gets the same one on all devices. A variant of weight 0 is sent to nobody. */
      readonly variants?: readonly CampaignVariant[]
      /** The percentage of the audience, chosen by chance, that gets nothing, for comparison; 0 when absent. */
      readonly holdout_percent?: (number | bigint) | string
      /** Tries the variants on a part of the audience first; the rest gets the better one. */
      readonly winner?: CampaignWinner
      /** The event that the campaign is to bring about. */
      readonly goal?: CampaignGoal
      /** In place of a schedule: each person gets the message at the hour of the day at which they are most often active. */
      readonly best_hour?: CampaignBestHour
      /** Nothing leaves before so many seconds after the launch are over; 0 when absent. */
      readonly undo_seconds?: (number | bigint) | string
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
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** Sends to at most this many subscriptions a second, so that not all taps arrive at once. */
      readonly per_second?: (number | bigint) | string
      /** True also notifies people who already got as many notifications today as the brand allows. */
      readonly ignore_frequency_cap?: boolean
      /** True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them. */
      readonly include_virtual_devices?: boolean
    }
    readonly reply: Success & {
      readonly campaign: Campaign
    }
  }
  /** Duplicate a campaign */
  readonly 'POST /api/v1/campaigns/{campaign_id}/duplicate': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly reply: Success & {
      readonly campaign: Campaign
    }
  }
  /** Try out a campaign */
  readonly 'POST /api/v1/campaigns/{campaign_id}/dry_run': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly query?: {
      /** The person whom the messages are rendered for, in the audience or not; the first one of it when absent. */
      readonly user_id?: string
      /** The language to render, one of those of the campaign; that of the person when absent. */
      readonly language?: string
      /** The name of the variant to render; the first one when absent. */
      readonly variant?: string
    }
    readonly reply: Success & {
      readonly dry_run: true
      readonly people: number
      readonly devices: number
      /** People of the audience who would get nothing if the message left now. */
      readonly left_out: {
        /** They opted out of the topic or of everything, on each device. */
        readonly opted_out: number
        /** They had as many messages today as the brand allows; null when no cap holds. */
        readonly over_cap: number | null
        /** The frequency_cap of the brand, if it holds. */
        readonly cap: number | null
      }
      readonly send_at: string
      readonly best_hour?: {
        /** The last message leaves before. */
        readonly until: string
        /** The hour of the brand, in its own zone; null when it has no events in these hours. */
        readonly brand_hour: number | null
        /** People without activity of their own, who get it at the hour of the brand, or at once if there is none. */
        readonly people_at_brand_hour: number
        /** The devices that were looked at, up to about 50000. */
        readonly devices_counted: number
        readonly hours: readonly {
          /** On the clock of the people. */
          readonly hour: number
          readonly people: number
          readonly devices: number
        }[]
      }
      readonly platforms: {
        readonly android?: Android
        readonly ios?: Android
        readonly web?: Android
      }
    }
  }
  /** Explain whether a person would get a campaign that is not stored */
  readonly 'POST /api/v1/campaigns/explain': {
    readonly body: {
      /** The person whom the question is about. */
      readonly user_id: string
      /** The name of the campaign, for people. */
      readonly name?: string
      /** Words by which the list of campaigns can be narrowed. */
      readonly tags?: readonly string[]
      /** The people and devices that the campaign is for. */
      readonly audience: CampaignAudience
      /** Any of android, ios and web; all of them when absent. */
      readonly platforms?: readonly string[]
      /** every_device, or latest_device: only the device that a person used last, over all platforms. every_device when absent. */
      readonly reach?: 'every_device' | 'latest_device'
      /** The fields of a push that say what is shown: title, message, url … */
      readonly content: CampaignContent
      /** Fields that take the place of those in content on Android. */
      readonly android?: CampaignContent
      /** Fields that take the place of those in content on iOS. */
      readonly ios?: CampaignContent
      /** Fields that take the place of those in content in browsers. */
      readonly web?: CampaignContent
      /** Two to eight contents that are compared. A person gets the same one on all devices. A variant of weight 0 is sent to nobody. */
      readonly variants?: readonly CampaignVariant[]
      /** The percentage of the audience, chosen by chance, that gets nothing, for comparison; 0 when absent. */
      readonly holdout_percent?: (number | bigint) | string
      /** Tries the variants on a part of the audience first; the rest gets the better one. */
      readonly winner?: CampaignWinner
      /** The event that the campaign is to bring about. */
      readonly goal?: CampaignGoal
      /** In place of a schedule: each person gets the message at the hour of the day at which they are most often active. */
      readonly best_hour?: CampaignBestHour
      /** Nothing leaves before so many seconds after the launch are over; 0 when absent. */
      readonly undo_seconds?: (number | bigint) | string
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
      /** The day to send on, together with schedule_time. */
      readonly schedule_date?: string
      /** The time of day to send at, together with schedule_date. Also spelled `Schedule_time`. */
      readonly schedule_time?: string
      /** The zone of the schedule; 0, which is UTC, when absent. */
      readonly time_zone?: string | number
      /** Sends to at most this many subscriptions a second, so that not all taps arrive at once. */
      readonly per_second?: (number | bigint) | string
      /** True also notifies people who already got as many notifications today as the brand allows. */
      readonly ignore_frequency_cap?: boolean
      /** True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them. */
      readonly include_virtual_devices?: boolean
    }
    readonly reply: Success & {
      readonly explanation: Explanation
    }
  }
  /** Explain whether a person would get a campaign that was launched now */
  readonly 'POST /api/v1/campaigns/{campaign_id}/explain': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly query: {
      /** The person whom the question is about. */
      readonly user_id: string
    }
    readonly reply: Success & {
      readonly explanation: Explanation
    }
  }
  /** Send a campaign to a few people as a test */
  readonly 'POST /api/v1/campaigns/{campaign_id}/test': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly body: {
      /** The people who get it, on each of their devices. One of user_ids and subscription_ids is needed. */
      readonly user_ids?: readonly string[]
      /** Single devices that get it, such as virtual ones. */
      readonly subscription_ids?: readonly string[]
      /** The name of the variant that they get. Without it they get each variant of the campaign. */
      readonly variant?: string
    }
    readonly reply: Success & {
      /** One for each person, platform and variant, and for each device and variant. */
      readonly notifications: readonly {
        readonly id: string
        readonly platform: 'android' | 'ios' | 'web'
      }[]
    }
  }
  /** Launch a campaign */
  readonly 'POST /api/v1/campaigns/{campaign_id}/launch': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly query?: {
      /** The version that you read; another version is not launched. */
      readonly version?: number
    }
    readonly reply: Success & {
      readonly campaign: Campaign
    }
  }
  /** Approve a campaign */
  readonly 'POST /api/v1/campaigns/{campaign_id}/approve': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly query?: {
      /** The version that you read; another version is not launched. */
      readonly version?: number
    }
    readonly reply: Success & {
      readonly campaign: Campaign
    }
  }
  /** Refuse a campaign */
  readonly 'POST /api/v1/campaigns/{campaign_id}/refuse': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly query?: {
      /** The version that you read; another version is not launched. */
      readonly version?: number
    }
    readonly reply: Success & {
      readonly campaign: Campaign
    }
  }
  /** Cancel a campaign */
  readonly 'POST /api/v1/campaigns/{campaign_id}/cancel': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly reply: Success & {
      readonly campaign: Campaign
    }
  }
  /** Archive a campaign */
  readonly 'POST /api/v1/campaigns/{campaign_id}/archive': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly reply: Success & {
      readonly campaign: Campaign
    }
  }
  /** Read the results of a campaign */
  readonly 'GET /api/v1/campaigns/{campaign_id}/results': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly reply: Success & {
      readonly results: {
        readonly as_of: string
        /** The people whom the campaign was planned for and sent to. They are counted only for a campaign with a goal, variants or a holdout, or when the brand has a control group. */
        readonly people: number
        readonly held_out: number
        readonly in_control: number
        readonly clicked: Clicked
        /** Deliveries with a receipt, by kind. */
        readonly receipts: Readonly<Record<string, number>>
        readonly attributed: Attributed
        readonly uplift: Uplift
        readonly platforms: readonly {
          readonly platform: 'android' | 'ios' | 'web'
          /** The goal events that count for the last message before them. */
          readonly conversions: number
          readonly people: number
          /** The sum of their ltv, a decimal. */
          readonly ltv: string
          /** The messages that the push service accepted on this platform, as long as they are kept. */
          readonly accepted: number
          /** The people as a share of the accepted messages of this platform; null if none are kept. */
          readonly rate: number | null
        }[]
        readonly variants: readonly {
          readonly name: string
          readonly people: number
          /** Devices, by the state of their delivery. */
          readonly devices: Readonly<Record<string, number>>
          readonly clicked: Clicked | null
          readonly reached: Clicked | null
          readonly attributed: Attributed
          readonly uplift: Uplift
        }[]
        readonly decision: {
          readonly kind: 'winner' | 'no_difference' | 'not_enough_data'
          readonly at: string
          /** The variant that the rest gets. */
          readonly variant: string | null
          readonly groups: readonly {
            readonly variant: string | null
            readonly people: number
            readonly did: number
          }[]
          readonly leads: readonly {
            readonly over: string | null
            readonly value: number
            readonly low: number
            readonly high: number
          }[]
        } | null
      }
    }
  }
  /** List the deliveries of a campaign */
  readonly 'GET /api/v1/campaigns/{campaign_id}/deliveries': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      readonly state?: 'retrying' | 'accepted' | 'failed' | 'expired' | 'cancelled'
      /** Only deliveries with this reason. */
      readonly reason?: string
      /** Only deliveries of which the device reported this. */
      readonly receipt?: 'received' | 'clicked' | 'dismissed' | 'button'
      /** Reported at or after this instant, as ISO 8601. It goes with receipt. */
      readonly from?: string
      /** Reported before this instant, as ISO 8601. It goes with receipt. */
      readonly to?: string
      /** A row for each device, or for each person with an accepted message, as people_reached counts them: the first of their devices. person goes with no other filter, and a page of people may have fewer rows than its limit. device if absent. */
      readonly per?: 'device' | 'person'
    }
    readonly reply: Success & {
      readonly deliveries: readonly {
        readonly subscription_id: string | null
        /** The person who uses the device now; null if nobody is known to. */
        readonly user_id: string | null
        readonly state: 'retrying' | 'accepted' | 'failed' | 'expired' | 'cancelled'
        readonly reason: string | null
        readonly attempt: number
        readonly at: string
        /** The language of the message, or default for the content without a language; null when the notification is in one language only, or nothing was sent. */
        readonly language: string | null
        /** When the device reported the receipt of the query; null without one. */
        readonly reported_at: string | null
        readonly platform: 'android' | 'ios' | 'web'
        /** Beckon’s id of the notification, used in addresses. */
        readonly notification: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** List the people behind the results of a campaign */
  readonly 'GET /api/v1/campaigns/{campaign_id}/people': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** Only people who get the variant of this name. */
      readonly variant?: string
      /** Only people of this group: sent, held_out, or control, the control group of the brand. */
      readonly group?: 'sent' | 'held_out' | 'control'
      /** Only people who clicked; who reached the goal within its time, sent to or not; or who converted: with goal events that count for a message of this campaign. */
      readonly did?: 'clicked' | 'reached' | 'converted'
      /** Only people who converted at or after this instant, as ISO 8601, and only these events of theirs. It goes with did=converted. */
      readonly from?: string
      /** The same for events before this instant. It goes with did=converted. */
      readonly to?: string
    }
    readonly reply: Success & {
      readonly people: readonly {
        readonly user_id: string | null
        /** The device, when it has no person and counts as one. */
        readonly subscription_id: string | null
        /** Null when only the event is still kept. */
        readonly group: 'sent' | 'held_out' | 'control' | null
        /** Null without variants, and for people who get nothing. */
        readonly variant: string | null
        readonly planned_at: string | null
        readonly clicked_at: string | null
        /** The goal events within the time of the goal, sent to or not; null without any. */
        readonly reached: {
          readonly events: number
          readonly ltv: string
        } | null
        /** The goal events that count for a message of this campaign; null without any. */
        readonly converted: {
          readonly events: number
          readonly ltv: string
        } | null
      }[]
      readonly next_cursor: string | null
    }
  }
  /** List the devices or the people that a campaign would reach now */
  readonly 'GET /api/v1/campaigns/{campaign_id}/audience': {
    readonly path: {
      readonly campaign_id: string
    }
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** Only the devices of this platform. */
      readonly platform?: 'android' | 'ios' | 'web'
      /** A row for each device, or for each person: the first of their devices. A page of people may have fewer rows than its limit. device if absent. */
      readonly per?: 'device' | 'person'
      /** Only people who would get nothing, as left_out of the dry run counts them: one row for each, with the first of their devices. */
      readonly left_out?: 'opted_out' | 'over_cap'
    }
    readonly reply: Success & {
      readonly subscriptions: readonly Subscription[]
      readonly next_cursor: string | null
    }
  }
}
