// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Context, Event, Unprocessed, Warning } from './common.ts'

import type { Success } from './envelope.ts'

export type EventsApi = {
  /** Logs up to 1000 events */
  readonly 'POST /api/event': {
    readonly body: {
      readonly nv: readonly {
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
  /** Lists events by person, name, time and attribute */
  readonly 'GET /api/v1/events': {
    readonly query?: {
      /** Only events of this person. */
      readonly userID?: string
      /** Only events of this name. */
      readonly event_name?: string
      /** The first day, or a time; 30 days ago, if absent. In the zone of the brand. */
      readonly from?: string
      /** The last day, or a time that is no longer part of it. */
      readonly to?: string
      /** Only events that show this attribute. */
      readonly attribute?: string
      /** Only events whose attribute has this value: JSON, or else a text. */
      readonly value?: string
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly events: readonly Event[]
      readonly next_cursor: string | null
    }
  }
  /** Shows every event, its attributes and the types they are locked to */
  readonly 'GET /api/v1/events/schema': {
    readonly query?: {
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
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
          readonly type: 'String' | 'Number' | 'Boolean' | 'Date' | 'Object' | 'Array of Objects'
          readonly first_seen: string
          readonly last_seen: string
          /** How many values came, the mistyped ones included. */
          readonly count: number
          /** How many values had another type than the locked one. */
          readonly mistyped: number
        }[]
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Lists the entries that were refused in the last 7 days, and why */
  readonly 'GET /api/v1/events/rejected': {
    readonly query?: {
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly rejected: readonly {
        readonly id: number
        /** Which entry of its call it was. */
        readonly index: number
        readonly code: string
        readonly field: string | null
        readonly message: string
        /** What was sent, as JSON in a text; its first 4096 characters. */
        readonly entry: string
        readonly rejected_at: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Counts events and the people who did them */
  readonly 'GET /api/v1/events/stats': {
    readonly query?: {
      /** Only events of this person. */
      readonly userID?: string
      /** Only events of this name. */
      readonly event_name?: string
      /** The first day, or a time; 30 days ago, if absent. In the zone of the brand. */
      readonly from?: string
      /** The last day, or a time that is no longer part of it. */
      readonly to?: string
      /** Only events that show this attribute. */
      readonly attribute?: string
      /** Only events whose attribute has this value: JSON, or else a text. */
      readonly value?: string
      /** What is counted apart: hours, days, names or values; day, if absent. */
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
        readonly attribute?: unknown
        readonly count: number
        readonly unique_users: number
        readonly ltv: string
      }[]
    }
  }
  /** Tells how far people come on a way of several events */
  readonly 'POST /api/v1/events/funnel': {
    readonly body: {
      /** Event names, in the order people should do them. */
      readonly steps: readonly string[]
      /** Seconds from the first step to the last. */
      readonly within: number
      /** The first day, or a time; 30 days ago, if absent. In the zone of the brand. */
      readonly from?: string
      /** The last day, or a time that is no longer part of it. */
      readonly to?: string
    }
    readonly reply: Success & {
      readonly funnel: readonly {
        readonly event_name: string
        readonly users: number
      }[]
    }
  }
  /** Tells how many of those who started in a period came back later */
  readonly 'GET /api/v1/events/retention': {
    readonly query?: {
      /** What makes people part of a cohort; any event, if absent. */
      readonly start_event?: string
      /** What shows that they came back; any event, if absent. */
      readonly return_event?: string
      /** How long a period is; day, if absent. */
      readonly unit?: 'day' | 'week'
      readonly periods?: number
      /** The first day, or a time; 30 days ago, if absent. In the zone of the brand. */
      readonly from?: string
      /** The last day, or a time that is no longer part of it. */
      readonly to?: string
    }
    readonly reply: Success & {
      readonly retention: readonly {
        /** The first day of the period they started in. */
        readonly cohort: string
        readonly users: number
        readonly returned: readonly (number | null)[]
      }[]
    }
  }
  /** Streams events as NDJSON or CSV */
  readonly 'GET /api/v1/events/export': {
    readonly query?: {
      /** Only events of this person. */
      readonly userID?: string
      /** Only events of this name. */
      readonly event_name?: string
      /** The first day, or a time; 30 days ago, if absent. In the zone of the brand. */
      readonly from?: string
      /** The last day, or a time that is no longer part of it. */
      readonly to?: string
      /** Only events that show this attribute. */
      readonly attribute?: string
      /** Only events whose attribute has this value: JSON, or else a text. */
      readonly value?: string
      /** ndjson, if absent. */
      readonly format?: 'ndjson' | 'csv'
    }
    readonly reply: Response
  }
  /** Shows events live, for debugging an integration */
  readonly 'GET /api/v1/events/tail': {
    readonly reply: Response
  }
}
