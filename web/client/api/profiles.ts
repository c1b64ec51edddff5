// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type Unprocessed = {
  readonly index?: number
  readonly field?: string
  readonly code?: string
  readonly message?: string
}

export type ProfilesApi = {
  /** Makes or changes up to 100 profiles */
  readonly 'POST /api/v1/user/create': {
    readonly body: {
      readonly nv: readonly {
        /** Who it is. */
        readonly userID?: string
        /** Identifies the person too, while the brand merges profiles. */
        readonly email?: string
        /** E.164. Identifies the person too, while the brand merges profiles. */
        readonly mobile?: string
        /** A list that replaces all tags, or an object with add and remove. */
        readonly tags?: readonly string[] | Readonly<Record<string, unknown>>
        /** What is known about the person: names of at most 49 characters, strings of at most 999. The first value of an attribute locks its type. */
        readonly user_attributes?: Readonly<Record<string, unknown>>
      }[]
    }
    readonly reply: Success & {
      /** The entries that were refused, each with its first fault. */
      readonly unprocessed?: readonly Unprocessed[]
    }
  }
  /** Makes or changes a profile, then logs an event of it */
  readonly 'POST /api/v1/user_event/create': {
    readonly body: {
      /** One entry, or a list of at most 100. */
      readonly nv: {
        /** Who did it. */
        readonly userID: string
        /** Identifies the user too, while the brand merges profiles. */
        readonly email?: string
        /** E.164. Identifies the user too, while the brand merges profiles. */
        readonly mobile?: string
        /** Letters, digits, space, underscore and hyphen; case counts. */
        readonly event_name: string
        /** What the event is worth; it adds up on the profile. */
        readonly ltv?: string
        /** What is to be known about it: String (at most 200), Number (at most 100), Boolean (at most 20), Date (at most 20), Object (at most 20), Array of Objects (at most 5). The first value of an attribute locks its type. */
        readonly attributes: Readonly<Record<string, unknown>>
        /** Where the event happened. Anything else in here is ignored with a warning. */
        readonly context?: {
          readonly ip_address?: string
          readonly language?: string
          readonly platform?: string
          readonly page?: {
            readonly url?: string
            readonly referrer?: string
            readonly query_params?: string
            readonly landing_page_url?: string
          }
          readonly utm?: {
            readonly campaign?: string
            readonly source?: string
            readonly medium?: string
            readonly term?: string
            readonly content?: string
            readonly google_click_id?: string
            readonly ad_source?: string
            readonly adcampaign_id?: string
            readonly adgroup_id?: string
            readonly ad_id?: string
          }
        }
        /** yyyy-MM-dd HH:mm:ss in the zone of the brand, or ISO 8601 with an offset; now, if absent. */
        readonly event_time?: string
        /** Your own id: the same one again within 7 days counts as processed and is not stored twice. */
        readonly event_id?: string
      } & {
        /** What is known about the person: names of at most 49 characters, strings of at most 999. The first value of an attribute locks its type. */
        readonly user_params?: Readonly<Record<string, unknown>>
      }
    }
    readonly reply: Success & {
      /** The entries that were refused, each with its first fault. */
      readonly unprocessed?: readonly Unprocessed[]
    }
  }
  /** Shows all there is about one person */
  readonly 'GET /api/v1/user/userdata': {
    readonly query: {
      readonly userID: string
    }
    readonly reply: Success & {
      /** All there is about the person. */
      readonly profile: Readonly<Record<string, unknown>>
    }
  }
  /** The same, with the name in the body */
  readonly 'POST /api/v1/user/userdata': {
    readonly body: {
      readonly userID: string
    }
    readonly reply: Success & {
      /** All there is about the person. */
      readonly profile: Readonly<Record<string, unknown>>
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
      readonly profiles: readonly Readonly<Record<string, unknown>>[]
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
        readonly userID: string
      }[]
    }
    readonly reply: Success & {
      /** The entries that were refused, each with its first fault. */
      readonly unprocessed?: readonly Unprocessed[]
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
