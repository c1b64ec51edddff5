// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Context, Event, Type, Unprocessed, Warning } from './common.ts'
import type { Success } from './envelope.ts'

export type EventsApi = {
  /** Log events */
  readonly 'POST /api/event': {
    readonly body: {
      readonly nv: readonly {
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
  /** List events */
  readonly 'GET /api/v1/events': {
    readonly query?: {
      /** Only events of this person. */
      readonly userID?: string
      /** Only events of this name. */
      readonly event_name?: string
      /** The first day, or a time, in the zone of the brand; 30 days ago if absent. */
      readonly from?: string
      /** The last day, or the time before which events count. */
      readonly to?: string
      /** Only events with this attribute. */
      readonly attribute?: string
      /** Only events whose attribute has this value: JSON, otherwise a text. */
      readonly value?: string
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly events: readonly Event[]
      readonly next_cursor: string | null
    }
  }
  /** Read the event schema */
  readonly 'GET /api/v1/events/schema': {
    readonly query?: {
      /** Only names of events that begin so, in any case. */
      readonly prefix?: string
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly events: readonly {
        readonly event_name: string
        readonly event_count: number
        readonly first_seen: string
        readonly last_seen: string
        readonly attributes: readonly {
          readonly name: string
          readonly type: Type
          readonly first_seen: string
          readonly last_seen: string
          /** The number of values, with the mistyped ones. */
          readonly count: number
          /** The number of values of another type than the locked one. */
          readonly mistyped: number
          /** Whether only browsers sent it. The next value of a secret key decides its type. */
          readonly is_provisional: boolean
        }[]
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Reset a type lock */
  readonly 'POST /api/v1/events/schema/reset': {
    readonly body: {
      /** The event whose attribute is reset; with attribute. */
      readonly event_name?: string
      /** The attribute of that event. */
      readonly attribute?: string
      /** An attribute of profiles, instead of one of an event. */
      readonly user_attribute?: string
      /** Locks to this type at once. Without it, the next value of a secret key decides. */
      readonly type?: Type
    }
    readonly reply: Success & {
      readonly type_lock: {
        readonly event_name: string | null
        readonly attribute: string
        readonly type: Type
        readonly is_provisional: boolean
      }
    }
  }
  /** List the entries that were refused in the last 7 days */
  readonly 'GET /api/v1/events/rejected': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly rejected: readonly {
        readonly id: number
        /** The position of the entry in its call. */
        readonly index: number
        readonly code: string
        readonly field: string | null
        readonly message: string
        /** The entry as it was sent, as JSON in a text; its first 4096 characters. */
        readonly entry: string
        readonly rejected_at: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Event statistics */
  readonly 'GET /api/v1/events/stats': {
    readonly query?: {
      /** Only events of this person. */
      readonly userID?: string
      /** Only events of this name. */
      readonly event_name?: string
      /** The first day, or a time, in the zone of the brand; 30 days ago if absent. */
      readonly from?: string
      /** The last day, or the time before which events count. */
      readonly to?: string
      /** Only events with this attribute. */
      readonly attribute?: string
      /** Only events whose attribute has this value: JSON, otherwise a text. */
      readonly value?: string
      /** The groups: hours, days, event names or attribute values; day if absent. */
      readonly by?: 'hour' | 'day' | 'name' | 'attribute'
    }
    readonly reply: Success & {
      readonly stats: readonly {
        /** yyyy-MM-dd HH:00 in the zone of the brand. */
        readonly hour?: string
        /** yyyy-MM-dd in the zone of the brand. */
        readonly day?: string
        /** The name of the event. */
        readonly name?: string
        /** The value of the attribute. */
        readonly attribute?: Json
        readonly count: number
        readonly unique_users: number
        readonly ltv: string
      }[]
    }
  }
  /** Funnel */
  readonly 'POST /api/v1/events/funnel': {
    readonly body: {
      /** Event names, in order. */
      readonly steps: readonly string[]
      /** The most seconds from the first step to the last. */
      readonly within: number
      /** The first day, or a time, in the zone of the brand; 30 days ago if absent. */
      readonly from?: string
      /** The last day, or the time before which events count. */
      readonly to?: string
    }
    readonly reply: Success & {
      readonly funnel: readonly {
        readonly event_name: string
        readonly users: number
      }[]
    }
  }
  /** Retention */
  readonly 'GET /api/v1/events/retention': {
    readonly query?: {
      /** The event that makes a person part of a cohort; any event if absent. */
      readonly start_event?: string
      /** The event that shows that a person came back; any event if absent. */
      readonly return_event?: string
      /** The length of a period; day if absent. */
      readonly unit?: 'day' | 'week'
      readonly periods?: number
      /** The first day, or a time, in the zone of the brand; 30 days ago if absent. */
      readonly from?: string
      /** The last day, or the time before which events count. */
      readonly to?: string
    }
    readonly reply: Success & {
      readonly retention: readonly {
        /** The first day of the period of the start. */
        readonly cohort: string
        readonly users: number
        readonly returned: readonly (number | null)[]
      }[]
    }
  }
  /** Export events */
  readonly 'GET /api/v1/events/export': {
    readonly query?: {
      /** Only events of this person. */
      readonly userID?: string
      /** Only events of this name. */
      readonly event_name?: string
      /** The first day, or a time, in the zone of the brand; 30 days ago if absent. */
      readonly from?: string
      /** The last day, or the time before which events count. */
      readonly to?: string
      /** Only events with this attribute. */
      readonly attribute?: string
      /** Only events whose attribute has this value: JSON, otherwise a text. */
      readonly value?: string
      /** ndjson by default. */
      readonly format?: 'ndjson' | 'csv'
    }
    readonly reply: Response
  }
  /** Watch events live */
  readonly 'GET /api/v1/events/tail': {
    readonly reply: Response
  }
}
