// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Context, Event, Subscription, Unprocessed, Warning } from './common.ts'

import type { Success } from './envelope.ts'

export type Tags = {
  readonly set?: readonly string[]
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

export type Nv = {
  /** Who it is. Required, unless the brand merges profiles and email or mobile is given. */
  readonly userID?: string
  /** Identifies the person too, while the brand merges profiles. */
  readonly email?: string
  /** E.164. Identifies the person too, while the brand merges profiles. */
  readonly mobile?: string
  /** Letters, digits, space, underscore and hyphen; case counts. */
  readonly event_name: string
  /** What the event is worth; it adds up on the profile. */
  readonly ltv?: string | number
  /** What is to be known about it: String (at most 200), Number (at most 100), Boolean (at most 20), Date (at most 20), Object (at most 20), Array of Objects (at most 5). The first value of an attribute locks its type. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** Where the event happened. Anything else in here is ignored with a warning. */
  readonly context?: Context
  /** yyyy-MM-dd HH:mm:ss in the zone of the brand, or ISO 8601 with an offset; now, if absent. */
  readonly event_time?: string
  /** Your own id: the same one again within 7 days counts as processed and is not stored twice. */
  readonly event_id?: string
  /** What is known about the person: names of at most 49 characters, strings of at most 999. The first value of an attribute locks its type. */
  readonly user_params?: Readonly<Record<string, unknown>>
  /** A list that replaces all tags, or an object with add and remove. */
  readonly tags?: readonly string[] | Tags
}

export type Profile = {
  readonly userID: string | null
  readonly user_ids: readonly string[]
  readonly email: string | null
  readonly mobile: string | null
  readonly user_attributes: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  /** What all events are worth together. */
  readonly ltv: string
  readonly event_count: number
  readonly first_seen: string
  readonly last_seen: string
  /** Every name that leads to this profile. */
  readonly identities: readonly {
    readonly kind: Kind
    readonly value: string
  }[]
  readonly subscriptions: readonly Subscription[]
  /** Newest first. */
  readonly recent_events: readonly Event[]
  readonly merges: readonly Merge[]
  /** Every stored row that mentions the person, by table, for a request to see one’s data. */
  readonly records: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

export type Kind = 'user_id' | 'email' | 'mobile' | 'visitor'

export type Merge = {
  readonly merge_id: number
  readonly state: 'moving' | 'moved' | 'undone'
  readonly merged_at: string
  readonly undone_at: string | null
  readonly user_ids: readonly string[]
}

export type ProfilesApi = {
  /** Makes or changes up to 100 profiles */
  readonly 'POST /api/v1/user/create': {
    readonly body: {
      readonly nv: readonly {
        /** Who it is. Required, unless the brand merges profiles and email or mobile is given. */
        readonly userID?: string
        /** Identifies the person too, while the brand merges profiles. */
        readonly email?: string
        /** E.164. Identifies the person too, while the brand merges profiles. */
        readonly mobile?: string
        /** A list that replaces all tags, or an object with add and remove. */
        readonly tags?: readonly string[] | Tags
        /** What is known about the person: names of at most 49 characters, strings of at most 999. The first value of an attribute locks its type. */
        readonly user_attributes?: Readonly<Record<string, unknown>>
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
  /** Makes or changes a profile, then logs an event of it */
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
  /** Shows all there is about one person */
  readonly 'GET /api/v1/user/userdata': {
    readonly query?: {
      /** Who it is. Required, unless the brand merges profiles and email or mobile is given. */
      readonly userID?: string
      /** Identifies the person too, while the brand merges profiles. */
      readonly email?: string
      /** E.164. Identifies the person too, while the brand merges profiles. */
      readonly mobile?: string
    }
    readonly reply: Success & {
      readonly profile: Profile
    }
  }
  /** The same, with the name in the body */
  readonly 'POST /api/v1/user/userdata': {
    readonly body: {
      /** Who it is. Required, unless the brand merges profiles and email or mobile is given. */
      readonly userID?: string
      /** Identifies the person too, while the brand merges profiles. */
      readonly email?: string
      /** E.164. Identifies the person too, while the brand merges profiles. */
      readonly mobile?: string
    }
    readonly reply: Success & {
      readonly profile: Profile
    }
  }
  /** Lists the profiles that did an event in a stretch of time */
  readonly 'POST /api/v1/user/profile': {
    readonly body: {
      readonly event_name: string
      /** The first day, or a time. */
      readonly from: string
      /** The last day, or a time that is no longer part of it. */
      readonly to: string
      readonly batch_size?: number
      /** The next_cursor of the page before. */
      readonly cursor?: string
    }
    readonly reply: Success & {
      readonly profiles: readonly {
        readonly userID: string | null
        readonly user_ids: readonly string[]
        readonly email: string | null
        readonly mobile: string | null
        readonly user_attributes: Readonly<Record<string, unknown>>
        readonly tags: readonly string[]
        readonly created_at: string
        readonly updated_at: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Counts the profiles that did an event in a stretch of time */
  readonly 'POST /api/v1/user/count': {
    readonly body: {
      readonly event_name: string
      /** The first day, or a time. */
      readonly from: string
      /** The last day, or a time that is no longer part of it. */
      readonly to: string
      readonly batch_size?: number
      /** The next_cursor of the page before. */
      readonly cursor?: string
    }
    readonly reply: Success & {
      readonly count: number
    }
  }
  /** Erases up to 100 people */
  readonly 'POST /api/v1/user/delete': {
    readonly body: {
      readonly nv: readonly {
        /** Who it is. Required, unless the brand merges profiles and email or mobile is given. */
        readonly userID?: string
        /** Identifies the person too, while the brand merges profiles. */
        readonly email?: string
        /** E.164. Identifies the person too, while the brand merges profiles. */
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
  /** Undoes a merge of two profiles */
  readonly 'POST /api/v1/user/unmerge': {
    readonly body: {
      /** Undoes the latest merge of this person. */
      readonly userID?: string
      /** Undoes this merge; userData lists them. */
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
