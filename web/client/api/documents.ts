// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Json } from '../json.ts'

/** The people and devices that belong to a segment, as a tree of conditions. */
export type SegmentFilter =
  | {
      /** Every filter of the list holds. */
      readonly all: readonly SegmentFilter[]
    }
  | {
      /** At least one filter of the list holds. */
      readonly any: readonly SegmentFilter[]
    }
  | {
      /** The filter does not hold. */
      readonly not: SegmentFilter
    }
  | {
      /** The subscription or its person carries the tag. */
      readonly tag: string
    }
  | {
      /** The person is one of the users with these ids. */
      readonly users: readonly string[]
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'eq' | 'ne'
      /** The value to compare with. */
      readonly value: string | number | boolean
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'in'
      /** The value to compare with. */
      readonly value: readonly (string | number | boolean)[]
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'gt' | 'gte' | 'lt' | 'lte'
      /** The value to compare with. */
      readonly value: number
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'contains' | 'starts_with'
      /** The value to compare with. */
      readonly value: string
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'before' | 'after'
      /** The value to compare with. */
      readonly value: string
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'within_days'
      /** The value to compare with. */
      readonly value: number
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'exists' | 'missing'
    }
  | {
      /** The person did the event of this name as often as asked. */
      readonly event: string
      /** How often the person did it; at least once when absent. */
      readonly count?: {
        readonly eq?: number
        readonly gt?: number
        readonly gte?: number
        readonly lt?: number
        readonly lte?: number
      }
      /** Only events of the last so many days. */
      readonly within_days?: number
      /** Only events whose attributes meet all of these conditions. */
      readonly where?: readonly AttributeCondition[] | null
    }
  | {
      /** A fact that Beckon knows by itself compares as asked. */
      readonly field: 'platform' | 'language' | 'time_zone' | 'browser' | 'app_version'
      /** How it is compared. */
      readonly is: 'eq' | 'ne' | 'contains' | 'starts_with'
      /** The value to compare with. */
      readonly value: string
    }
  | {
      /** A fact that Beckon knows by itself compares as asked. */
      readonly field: 'platform' | 'language' | 'time_zone' | 'browser' | 'app_version'
      /** How it is compared. */
      readonly is: 'in'
      /** The value to compare with. */
      readonly value: readonly string[]
    }
  | {
      /** A fact that Beckon knows by itself compares as asked. */
      readonly field: 'platform' | 'language' | 'time_zone' | 'browser' | 'app_version'
      /** How it is compared. */
      readonly is: 'exists' | 'missing'
    }
  | {
      /** A fact that Beckon knows by itself compares as asked. */
      readonly field: 'last_seen' | 'created_at'
      /** How it is compared. */
      readonly is: 'before' | 'after'
      /** The value to compare with. */
      readonly value: string
    }
  | {
      /** A fact that Beckon knows by itself compares as asked. */
      readonly field: 'last_seen' | 'created_at'
      /** How it is compared. */
      readonly is: 'within_days'
      /** The value to compare with. */
      readonly value: number
    }
  | {
      /** A fact that Beckon knows by itself compares as asked. */
      readonly field: 'last_seen' | 'created_at'
      /** How it is compared. */
      readonly is: 'exists' | 'missing'
    }
  | {
      /** A fact that Beckon knows by itself compares as asked. */
      readonly field: 'ltv'
      /** How it is compared. */
      readonly is: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'
      /** The value to compare with. */
      readonly value: number
    }
  | {
      /** A fact that Beckon knows by itself compares as asked. */
      readonly field: 'ltv'
      /** How it is compared. */
      readonly is: 'in'
      /** The value to compare with. */
      readonly value: readonly number[]
    }
  | {
      /** A fact that Beckon knows by itself compares as asked. */
      readonly field: 'ltv'
      /** How it is compared. */
      readonly is: 'exists' | 'missing'
    }
  | {
      /** The filter of the segment with this id holds. */
      readonly segment: (number | bigint) | string
    }

/** A condition on one attribute of an event. */
export type AttributeCondition =
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'eq' | 'ne'
      /** The value to compare with. */
      readonly value: string | number | boolean
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'in'
      /** The value to compare with. */
      readonly value: readonly (string | number | boolean)[]
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'gt' | 'gte' | 'lt' | 'lte'
      /** The value to compare with. */
      readonly value: number
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'contains' | 'starts_with'
      /** The value to compare with. */
      readonly value: string
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'before' | 'after'
      /** The value to compare with. */
      readonly value: string
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'within_days'
      /** The value to compare with. */
      readonly value: number
    }
  | {
      /** The attribute of this name compares as asked. */
      readonly attribute: string
      /** How it is compared. */
      readonly is: 'exists' | 'missing'
    }

/** The event, segment or date that lets people into a journey. */
export type JourneyTrigger =
  | {
      /** A person who does the event of this name enters. */
      readonly event: string
      /** Only events whose attributes meet all of these conditions. */
      readonly where?: readonly AttributeCondition[] | null
    }
  | {
      /** A person who comes to belong to the segment with this id enters. */
      readonly segment_entered: (number | bigint) | string
    }
  | {
      /** A person who no longer belongs to the segment with this id enters. */
      readonly segment_left: (number | bigint) | string
    }
  | {
      /** A person enters on a day that follows from the date in the attribute of this name. */
      readonly date: string
      /** How many days after the date; a negative number is before it. 0 when absent. */
      readonly offset_days?: number | null
      /** The time of day, in the person’s zone. */
      readonly at: string
      /** True repeats the date every year, as for a birthday. */
      readonly yearly?: boolean | null
    }

/** One step of a journey. */
export type JourneyStep =
  | {
      /** Notifies the person. */
      readonly send: JourneyMessage
      /** The name of the step; unique in the journey. */
      readonly id: string
      /** The id of the step that comes next, or end; when absent, the step that follows in the list. */
      readonly next?: string
    }
  | {
      /** Waits for a length of time. */
      readonly wait: Duration
      /** The name of the step; unique in the journey. */
      readonly id: string
      /** The id of the step that comes next, or end; when absent, the step that follows in the list. */
      readonly next?: string
    }
  | {
      /** Waits for a time of day in the person’s zone. */
      readonly wait_until: {
        /** Only these weekdays; every day when absent. */
        readonly weekdays?: readonly (
          | 'monday'
          | 'tuesday'
          | 'wednesday'
          | 'thursday'
          | 'friday'
          | 'saturday'
          | 'sunday'
        )[]
        /** The time of day. */
        readonly at: string
      }
      /** The name of the step; unique in the journey. */
      readonly id: string
      /** The id of the step that comes next, or end; when absent, the step that follows in the list. */
      readonly next?: string
    }
  | {
      /** Waits for an event, and goes another way when none comes. */
      readonly wait_for: {
        /** The name of the event. */
        readonly event: string
        /** Only events whose attributes meet all of these conditions. */
        readonly where?: readonly AttributeCondition[] | null
        /** How long to wait at most. */
        readonly within: Duration
        /** As next, when the event came. */
        readonly yes?: string
        /** As next, when the time is over. */
        readonly no?: string
      }
      /** The name of the step; unique in the journey. */
      readonly id: string
    }
  | {
      /** Goes one of two ways by a segment filter. */
      readonly branch: {
        /** The filter that is asked about the person. */
        readonly filter: SegmentFilter
        /** As next, when the filter holds. */
        readonly yes?: string
        /** As next, when it does not hold. */
        readonly no?: string
      }
      /** The name of the step; unique in the journey. */
      readonly id: string
    }
  | {
      /** Goes one of several ways by chance, always the same for one person. */
      readonly split: readonly {
        /** How many of a hundred people go this way. All ways together make 100. */
        readonly percent: number
        /** The id of the step that comes next, or end; when absent, the step that follows in the list. */
        readonly next?: string
      }[]
      /** The name of the step; unique in the journey. */
      readonly id: string
    }
  | {
      /** Sets an attribute or a tag of the person. */
      readonly set:
        | {
            /** The name of an attribute of the person. */
            readonly attribute: string
            /** Its new value; null, or nothing, takes the attribute away. */
            readonly value?: (string | number | boolean) | null
          }
        | {
            /** A tag to give to the person. */
            readonly add_tag: string
          }
        | {
            /** A tag to take from the person. */
            readonly remove_tag: string
          }
      /** The name of the step; unique in the journey. */
      readonly id: string
      /** The id of the step that comes next, or end; when absent, the step that follows in the list. */
      readonly next?: string
    }
  | {
      /** Calls a webhook endpoint of the brand. */
      readonly webhook: {
        /** The id of the endpoint. */
        readonly endpoint_id: string
      }
      /** The name of the step; unique in the journey. */
      readonly id: string
      /** The id of the step that comes next, or end; when absent, the step that follows in the list. */
      readonly next?: string
    }

/** An event by its name, and what its attributes must be like. */
export type EventMatch = {
  /** The name of the event. */
  readonly event: string
  /** Only events whose attributes meet all of these conditions. */
  readonly where?: readonly AttributeCondition[] | null
}

/** A length of time between a second and 365 days: the sum of its units. */
export type Duration = {
  /** How many of them. */
  readonly seconds?: number
  /** How many of them. */
  readonly minutes?: number
  /** How many of them. */
  readonly hours?: number
  /** How many of them. */
  readonly days?: number
  /** How many of them. */
  readonly weeks?: number
}

/** Hours in which sends wait, in the person’s zone. */
export type QuietWindow = {
  /** Only these weekdays; every day when absent. */
  readonly days?: readonly (
    | 'monday'
    | 'tuesday'
    | 'wednesday'
    | 'thursday'
    | 'friday'
    | 'saturday'
    | 'sunday'
  )[]
  /** When it begins, on each of the days. */
  readonly from: string
  /** When it ends; past midnight when it is not after from. */
  readonly to: string
}

/** The fields of a push, and the platform it goes to. */
export type JourneyMessage = {
  /** The platform to send to; anywhere is every platform on which the person has a live device. */
  readonly to: 'anywhere' | 'android' | 'ios' | 'web'
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
  readonly interruption_level?: 'passive' | 'active' | 'time-sensitive' | 'critical'
  /** From 0 to 1: which notification of the app iOS shows first in its summary. */
  readonly relevance_score?: number
  /** True shows nothing; the app gets the fields and decides. Not on the web. */
  readonly silent?: false
  /** Your own strings for the app. */
  readonly data?: Readonly<Record<string, string>>
  /** The notification channel of the Android app. */
  readonly android_channel?: string
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

/** Whom a campaign is for: everyone, or those who meet every one of the other keys. */
export type CampaignAudience = {
  /** True is every live device of the platforms. */
  readonly everyone?: boolean
  /** The members of this segment. */
  readonly segment_id?: (number | bigint) | string
  /** The people and devices that a filter finds, as in a segment. */
  readonly filter?: SegmentFilter
  /** The subscriptions that carry this tag. */
  readonly tag?: string
  /** These people, by their user ids. */
  readonly users?: readonly string[]
  /** Who is left out. */
  readonly except?: CampaignExcept
}

/** Who gets nothing: everybody who meets one of the keys. */
export type CampaignExcept = {
  /** The members of this segment. */
  readonly segment_id?: (number | bigint) | string
  /** Those whom a filter finds. */
  readonly filter?: SegmentFilter
  /** The people who got this other campaign on any device. */
  readonly campaign_id?: (number | bigint) | string
}

/** One of the contents that a campaign compares. */
export type CampaignVariant = {
  /** The name of the variant, which no other variant has. */
  readonly name: string
  /** The share of the people who get it, against the weights of the others. */
  readonly weight: number
  /** Fields that take the place of those in the content of the campaign. */
  readonly content?: CampaignContent
  /** The same on Android. */
  readonly android?: CampaignContent
  /** The same on iOS. */
  readonly ios?: CampaignContent
  /** The same in browsers. */
  readonly web?: CampaignContent
  /** Fields in other languages, over those in the languages of the campaign. */
  readonly languages?: CampaignLanguages
}

/** How the variants are tried on a part of the audience before the rest gets the better one. */
export type CampaignWinner = {
  /** The figure that is compared: people who clicked, or people who reached the goal. */
  readonly by: 'click' | 'goal'
  /** The percentage of the audience that the variants are tried on. */
  readonly test_percent: number
  /** The hours after the begin of sending at which the figures are compared, once. */
  readonly after_hours: number
  /** How sure the difference must be, 0.8 to 0.999; 0.95 when absent. */
  readonly confidence?: number
  /** The name of the variant that the rest gets if no difference is found. */
  readonly otherwise: string
}

/** The event that a campaign is to bring about, and the time in which it counts. */
export type CampaignGoal = {
  /** The name of the event. */
  readonly event: string
  /** Only events whose attributes meet all of these conditions. */
  readonly where?: readonly AttributeCondition[] | null
  /** Whether the time counts from the delivery of the message, or from the click on it. */
  readonly from: 'delivery' | 'click'
  /** The days after that moment in which the event counts. */
  readonly within_days: number
}

/** Sends to each person at the hour of the day at which they were most often active in the last 60 days. */
export type CampaignBestHour = {
  /** The hours after the launch within which everybody gets the message. */
  readonly within_hours: number
}

/** The fields of a push that say what is shown. The limits are those of the platforms. */
export type CampaignContent = {
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
  /** How long the message may wait for a device that is offline, counted from the moment it is due; 259200 when absent. */
  readonly ttl_seconds?: (number | bigint) | string
  /** Whether the message wakes a sleeping device: high does. When absent, high, or normal if silent is true. */
  readonly priority?: 'high' | 'normal'
  /** The number on the app icon. */
  readonly badge?: (number | bigint) | string
  /** True shows nothing; the app gets the fields and decides. Not on the web. */
  readonly silent?: boolean
  /** Your own strings for the app. */
  readonly data?: Readonly<Record<string, string>>
  /** The sound to play: a file of the app, default, or none. When absent, the default_sound of the brand. */
  readonly sound?: string
  /** The category that the iOS app has registered, which gives the notification its buttons. */
  readonly category?: string
  /** Notifications with the same thread_id are shown as one group. */
  readonly thread_id?: string
  /** How much the notification may disturb. time-sensitive and critical need an entitlement of the app. */
  readonly interruption_level?: 'passive' | 'active' | 'time-sensitive' | 'critical'
  /** From 0 to 1: which notification of the app iOS shows first in its summary. */
  readonly relevance_score?: number
  /** The notification channel of the Android app. */
  readonly android_channel?: string
}

/** Fields of a push in other languages, by language tag. */
export type CampaignLanguages = Readonly<Record<string, CampaignContent>>
