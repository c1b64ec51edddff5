// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Context, Kind, Subscription, Unprocessed, Warning } from './common.ts'

import type { SegmentFilter } from './documents.ts'
import type { Success } from './envelope.ts'

export type Tags = {
  readonly set?: readonly string[]
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

export type Nv = {
  /** The person. Required, unless the brand merges profiles and email or mobile is given. */
  readonly userID?: string
  /** Also identifies the person if the brand merges profiles. */
  readonly email?: string
  /** E.164. Also identifies the person if the brand merges profiles. */
  readonly mobile?: string
  /** Letters, digits, space, underscore and hyphen; case-sensitive. */
  readonly event_name: string
  /** The value of the event. The values of a person’s events add up on the profile. */
  readonly ltv?: string | number
  /** Your own data about the event: String (at most 200), Number (at most 100), Boolean (at most 20), Date (at most 20), Object (at most 20), Array of Objects (at most 5). The first value of an attribute locks its type. */
  readonly attributes: Readonly<Record<string, Json>>
  /** Where the event happened. Other fields are ignored with a warning. */
  readonly context?: Context
  /** yyyy-MM-dd HH:mm:ss in the zone of the brand, or ISO 8601 with an offset; the present time if absent. */
  readonly event_time?: string
  /** Your own id: the same one again within 7 days counts as processed, is not stored twice, and is told in the warning duplicate. Ids of browsers are kept apart. */
  readonly event_id?: string
  /** Your own data about the person: names of at most 49 characters, strings of at most 999. The first value of an attribute locks its type. */
  readonly user_params?: Readonly<Record<string, Json>>
  /** A list that replaces all tags, or an object with add and remove. */
  readonly tags?: readonly string[] | Tags
}

export type Profile = {
  readonly userID: string | null
  readonly user_ids: readonly string[]
  readonly email: string | null
  readonly mobile: string | null
  readonly user_attributes: Readonly<Record<string, Json>>
  readonly tags: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  /** The topics that the person opted out of. */
  readonly opt_outs: readonly string[]
  /** The sum of the ltv of all events. */
  readonly ltv: string
  readonly event_count: number
  readonly first_seen: string
  readonly last_seen: string
  /** Every identifier of this profile. */
  readonly identities: readonly {
    readonly kind: 'user_id' | 'email' | 'mobile' | 'visitor'
    readonly value: string
  }[]
  readonly subscriptions: readonly Subscription[]
  /** Newest first, at most 100 or 1 MiB. */
  readonly recent_events: readonly RecentEvent[]
  readonly merges: readonly Merge[]
  /** Every stored row about the person, by table, for a data subject request. */
  readonly records: Readonly<Record<string, readonly Readonly<Record<string, Json>>[]>>
}

export type RecentEvent = {
  /** Beckon’s id of the event, a whole number of 63 bits. */
  readonly id: string
  readonly userID: string | null
  readonly event_name: string
  readonly event_time: string
  readonly received_at: string
  readonly ltv: string
  readonly attributes: Readonly<Record<string, Json>>
  readonly context: Readonly<Record<string, Json>> | null
  readonly event_id: string | null
  /** Whether the event is before the creation of its profile; then it starts no journey. */
  readonly is_before_creation: boolean
}

export type Merge = {
  readonly merge_id: number
  readonly state: 'moving' | 'moved' | 'undone'
  readonly merged_at: string
  readonly undone_at: string | null
  readonly user_ids: readonly string[]
}

export type User = {
  readonly userID: string | null
  readonly user_ids: readonly string[]
  readonly email: string | null
  readonly mobile: string | null
  readonly user_attributes: Readonly<Record<string, Json>>
  readonly tags: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  readonly identities: readonly {
    readonly kind: 'user_id' | 'email' | 'mobile' | 'visitor'
    readonly value: string
  }[]
  /** Those of the live devices. */
  readonly platforms: readonly ('android' | 'ios' | 'web')[]
  readonly event_count: number
  /** The sum of the ltv of all events. */
  readonly ltv: string
  readonly first_seen: string
  readonly last_seen: string
}

export type Notification = {
  /** Beckon’s id of the notification. */
  readonly id: string
  readonly notification_id: (number | bigint) | null
  readonly platform: 'android' | 'ios' | 'web'
  readonly title: string | null
  readonly campaign_id: (number | bigint) | null
  readonly journey_id: (number | bigint) | null
  readonly step: string | null
}

export type ProfilesApi = {
  /** Create or change profiles */
  readonly 'POST /api/v1/user/create': {
    readonly body: {
      readonly nv: readonly {
        /** The person. Required, unless the brand merges profiles and email or mobile is given. */
        readonly userID?: string
        /** Also identifies the person if the brand merges profiles. */
        readonly email?: string
        /** E.164. Also identifies the person if the brand merges profiles. */
        readonly mobile?: string
        /** A list that replaces all tags, or an object with add and remove. */
        readonly tags?: readonly string[] | Tags
        /** Your own data about the person: names of at most 49 characters, strings of at most 999. The first value of an attribute locks its type. */
        readonly user_attributes?: Readonly<Record<string, Json>>
      }[]
    }
    readonly reply: Success & {
      /** success, or partial if some entries were refused. */
      readonly message?: string
      /** The entries that were refused, each with its first fault. */
      readonly unprocessed?: readonly Unprocessed[]
      /** Unknown fields that were ignored, and values of another type than the locked one. */
      readonly warnings?: readonly Warning[]
      /** How many warnings there were beyond 1000. */
      readonly warnings_omitted?: number
    }
  }
  /** Create or change a profile and log an event */
  readonly 'POST /api/v1/user_event/create': {
    readonly body: {
      /** One entry, or a list of at most 100. */
      readonly nv: Nv | readonly Nv[]
    }
    readonly reply: Success & {
      /** success, or partial if some entries were refused. */
      readonly message?: string
      /** The entries that were refused, each with its first fault. */
      readonly unprocessed?: readonly Unprocessed[]
      /** Unknown fields that were ignored, and values of another type than the locked one. */
      readonly warnings?: readonly Warning[]
      /** How many warnings there were beyond 1000. */
      readonly warnings_omitted?: number
    }
  }
  /** Read all data of a person */
  readonly 'GET /api/v1/user/userdata': {
    readonly query?: {
      /** The person. Required, unless the brand merges profiles and email or mobile is given. */
      readonly userID?: string
      /** Also identifies the person if the brand merges profiles. */
      readonly email?: string
      /** E.164. Also identifies the person if the brand merges profiles. */
      readonly mobile?: string
    }
    readonly reply: Success & {
      readonly profile: Profile
    }
  }
  /** Read all data of a person (POST) */
  readonly 'POST /api/v1/user/userdata': {
    readonly body: {
      /** The person. Required, unless the brand merges profiles and email or mobile is given. */
      readonly userID?: string
      /** Also identifies the person if the brand merges profiles. */
      readonly email?: string
      /** E.164. Also identifies the person if the brand merges profiles. */
      readonly mobile?: string
    }
    readonly reply: Success & {
      readonly profile: Profile
    }
  }
  /** List or search people */
  readonly 'GET /api/v1/users': {
    readonly query?: {
      /** The first letters of a user id, an email, a mobile number or a visitor id, in any case. */
      readonly search?: string
      /** By creation or, which is usual for a search, by the identifier that was found. */
      readonly sort?: 'newest' | 'oldest' | 'identifier'
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      /** A page may have fewer people than asked for; only next_cursor says whether there are more. */
      readonly users: readonly User[]
      /** The number of people on all pages. Only the first page has it. Up to 10000 it is exact. */
      readonly count: number | null
      /** Whether count is an estimate. */
      readonly estimated: boolean | null
      readonly next_cursor: string | null
    }
  }
  /** Search people with a filter */
  readonly 'POST /api/v1/users/search': {
    readonly body: {
      /** The first letters of a user id, an email, a mobile number or a visitor id, in any case. */
      readonly search?: string
      /** By creation or, which is usual for a search, by the identifier that was found. */
      readonly sort?: 'newest' | 'oldest' | 'identifier'
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      readonly filter?: SegmentFilter
    }
    readonly reply: Success & {
      /** A page may have fewer people than asked for; only next_cursor says whether there are more. */
      readonly users: readonly User[]
      /** The number of people on all pages. Only the first page has it. Up to 10000 it is exact. */
      readonly count: number | null
      /** Whether count is an estimate. */
      readonly estimated: boolean | null
      readonly next_cursor: string | null
    }
  }
  /** Read the time line of a person */
  readonly 'GET /api/v1/users/{user_id}/timeline': {
    readonly path: {
      readonly user_id: string
    }
    readonly query?: {
      /** The kind of the identifier in the address. */
      readonly by?: 'user_id' | 'email' | 'mobile' | 'visitor'
      /** Only lines of these kinds: one or more of merge, change, journey, receipt, delivery, event, with commas between them. */
      readonly kinds?: string
      /** At or after this instant, as ISO 8601. */
      readonly from?: string
      /** Before this instant, as ISO 8601. */
      readonly to?: string
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly timeline: readonly {
        readonly at: string
        /** The name of the field that has the rest. */
        readonly kind: 'merge' | 'change' | 'journey' | 'receipt' | 'delivery' | 'event'
        readonly event?: {
          readonly id: string
          readonly event_name: string
          readonly ltv: string
          readonly attributes: Readonly<Record<string, Json>>
          readonly context: Readonly<Record<string, Json>> | null
          readonly event_id: string | null
          readonly is_before_creation: boolean
        }
        readonly delivery?: {
          readonly notification: Notification
          readonly subscription_id: string
          readonly state: 'retrying' | 'accepted' | 'failed' | 'expired' | 'cancelled'
          readonly reason: string | null
          readonly attempt: number
          readonly language: string | null
        }
        readonly receipt?: {
          readonly notification: Notification
          readonly subscription_id: string
          readonly receipt: Kind
          readonly button: number | null
        }
        readonly journey?: {
          readonly journey_id: number | bigint
          readonly name: string
          readonly version: number
          readonly enrolment_id: number | bigint
          readonly step: string | null
          readonly code: string
          readonly message: string
        }
        readonly change?: {
          readonly change:
            | 'created'
            | 'subscribed'
            | 'subscribed_again'
            | 'unsubscribed'
            | 'gone'
            | 'opted_out'
          readonly subscription_id: string | null
          readonly platform: ('android' | 'ios' | 'web') | null
          readonly reason: string | null
          readonly topic: string | null
        }
        readonly merge?: {
          readonly merge_id: number
          readonly did: 'merged' | 'unmerged'
          /** The user ids of the profile that was absorbed; of a merge that was undone, those of the other person. */
          readonly user_ids: readonly string[]
          /** An identifier of the other person, with its kind for `by`, after the merge was undone. Null while they are one person. */
          readonly person: {
            readonly kind: 'user_id' | 'email' | 'mobile' | 'visitor'
            readonly value: string
          } | null
        }
      }[]
      readonly next_cursor: string | null
    }
  }
  /** List the profiles that did an event */
  readonly 'POST /api/v1/user/profile': {
    readonly body: {
      readonly event_name: string
      /** The first day, or a time. */
      readonly from: string
      /** The last day, or the time before which events count. */
      readonly to: string
      readonly batch_size?: number
      /** The next_cursor of the previous page. */
      readonly cursor?: string
    }
    readonly reply: Success & {
      readonly profiles: readonly {
        readonly userID: string | null
        readonly user_ids: readonly string[]
        readonly email: string | null
        readonly mobile: string | null
        readonly user_attributes: Readonly<Record<string, Json>>
        readonly tags: readonly string[]
        readonly created_at: string
        readonly updated_at: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Count the profiles that did an event */
  readonly 'POST /api/v1/user/count': {
    readonly body: {
      readonly event_name: string
      /** The first day, or a time. */
      readonly from: string
      /** The last day, or the time before which events count. */
      readonly to: string
      readonly batch_size?: number
      /** The next_cursor of the previous page. */
      readonly cursor?: string
    }
    readonly reply: Success & {
      readonly count: number
    }
  }
  /** Erase people */
  readonly 'POST /api/v1/user/delete': {
    readonly body: {
      readonly nv: readonly {
        /** The person. Required, unless the brand merges profiles and email or mobile is given. */
        readonly userID?: string
        /** Also identifies the person if the brand merges profiles. */
        readonly email?: string
        /** E.164. Also identifies the person if the brand merges profiles. */
        readonly mobile?: string
      }[]
    }
    readonly reply: Success & {
      /** success, or partial if some entries were refused. */
      readonly message?: string
      /** The entries that were refused, each with its first fault. */
      readonly unprocessed?: readonly Unprocessed[]
      /** Unknown fields that were ignored, and values of another type than the locked one. */
      readonly warnings?: readonly Warning[]
      /** How many warnings there were beyond 1000. */
      readonly warnings_omitted?: number
    }
  }
  /** Undo a merge of two profiles */
  readonly 'POST /api/v1/user/unmerge': {
    readonly body: {
      /** The person whose latest merge is undone. */
      readonly userID?: string
      /** The merge to undo; userData lists the merges. */
      readonly merge_id?: number
    }
    readonly reply: Success & {
      readonly merge: {
        readonly merge_id: number
        readonly state: string
      }
    }
  }
}
