// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Context, Type, Unprocessed, Warning } from './common.ts'

import type { AttributeCondition, SegmentFilter } from './documents.ts'
import type { Success } from './envelope.ts'

export type By = {
  /** By the name of the event. */
  readonly event?: 'name'
  /** By an attribute of the event. */
  readonly attribute?: string
  /** By a part of its context. */
  readonly context?:
    | 'ip_address'
    | 'language'
    | 'platform'
    | 'page.url'
    | 'page.referrer'
    | 'page.query_params'
    | 'page.landing_page_url'
    | 'utm.campaign'
    | 'utm.source'
    | 'utm.medium'
    | 'utm.term'
    | 'utm.content'
    | 'utm.google_click_id'
    | 'utm.ad_source'
    | 'utm.adcampaign_id'
    | 'utm.adgroup_id'
    | 'utm.ad_id'
  /** By an attribute that the person has now. Needs profiles:read. */
  readonly person?: string
}

export type Estimate = {
  /** About how many events are read, from hourly counts and the list of event files. An event that is read twice counts twice. */
  readonly events: number
  /** About how long that takes on a machine of two cores. */
  readonly seconds: number
  /** An answer that takes longer is refused with takes_too_long. */
  readonly seconds_max: number
  /** Whether seconds is more than seconds_max. */
  readonly is_above_limit: boolean
}

export type Progress = {
  /** How long the question has been at work. */
  readonly seconds: number
  /** The estimate, as with dry_run. */
  readonly seconds_expected: number
  /** An answer that takes longer is refused with takes_too_long. */
  readonly seconds_max: number
  readonly weeks_read: number | null
  readonly weeks: number | null
}

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
      /** The `by` of a question to `POST /api/v1/events/query`, as JSON. It goes with `group` or `other_than`. */
      readonly by?: string
      /** Only events of this group: the `by` of a group in the answer, as JSON. */
      readonly group?: string
      /** Only events of none of these groups: the list of the `by` of every group in the answer, as JSON. They are the events of its `rest`. */
      readonly other_than?: string
      /** Only events that meet the `where` of a question to `POST /api/v1/events/query`, as JSON. */
      readonly where?: string
      /** Only events with a mistyped value of this attribute. They have these values, as `mistyped`, beside their attributes. */
      readonly mistyped?: string
      /** Only events of people who are in this segment now. Needs profiles:read. */
      readonly segment_id?: string
      /** Only events of people whom the `people` of a question to `POST /api/v1/events/query` finds now, as JSON. It does not go with `segment_id`. Needs profiles:read. */
      readonly people?: string
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly events: readonly {
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
        /** The values that do not fit their locked type, if the query asks for mistyped values. */
        readonly mistyped?: Readonly<Record<string, Json>> | null
      }[]
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
  /** Ask about events */
  readonly 'POST /api/v1/events/query': {
    readonly body: {
      /** `count`: how many events; `people`: how many people; `sum`: the sum of a number; `average`: the mean of a number; `percentile`: the value of a number below which so many percent lie. count if absent. */
      readonly measure?: 'count' | 'people' | 'sum' | 'average' | 'percentile'
      /** The number that sum, average and percentile are about; ltv if absent. */
      readonly attribute?: string
      /** Required with the measure percentile: 50 is the median. */
      readonly percentile?: number
      /** Only events of this name. */
      readonly event_name?: string
      /** A group for each combination of these values. A value that is missing is null. */
      readonly by?: readonly By[]
      /** How many groups are shown, the largest first; 10 if absent. All others are counted together, in `rest`. */
      readonly top?: number
      /** A number for each whole hour, day or week of the zone. */
      readonly every?: 'hour' | 'day' | 'week'
      /** The first day, or a time, in the zone of the brand; 30 days ago if absent. */
      readonly from?: string
      /** The last day, or the time before which events count. */
      readonly to?: string
      /** An IANA name or an offset; the zone of the brand if absent. */
      readonly time_zone?: string
      /** Whether the period before, of the same length, is measured too. */
      readonly compare?: boolean
      /** Only estimates how many events would be read, and how long that takes. No event is looked at. */
      readonly dry_run?: boolean
      /** Answers with NDJSON: about every second a line with `progress`, and the reply as the last line. Its status_code tells whether it is an answer. */
      readonly progress?: boolean
      /** Only events whose attributes meet all of these conditions. */
      readonly where?: readonly AttributeCondition[]
      /** Only events of people whom this filter finds now. Needs profiles:read. */
      readonly people?: SegmentFilter
    }
    readonly reply: Success & {
      readonly answer?: {
        readonly measure: string
        readonly every: string | null
        readonly time_zone: string
        readonly from: string
        readonly to: string
        /** The beginning of the period before; it ends at `from`. */
        readonly before_from: string | null
        /** The beginning of each span, with the offset of the zone. */
        readonly starts: readonly string[]
        /** The same for the period before; empty without compare. */
        readonly before_starts: readonly string[]
        readonly total: {
          /** Null when there was nothing to average. */
          readonly value: number | null
          /** One number for each span. */
          readonly values: readonly (number | null)[]
          /** The same for the period before; null without compare. */
          readonly before: {
            /** Null when there was nothing to average. */
            readonly value: number | null
            /** One number for each span. */
            readonly values: readonly (number | null)[]
          } | null
        }
        readonly groups: readonly {
          /** The values of the group, in the order of `by`. */
          readonly by: readonly Json[]
          /** Null when there was nothing to average. */
          readonly value: number | null
          /** One number for each span. */
          readonly values: readonly (number | null)[]
          /** The same for the period before; null without compare. */
          readonly before: {
            /** Null when there was nothing to average. */
            readonly value: number | null
            /** One number for each span. */
            readonly values: readonly (number | null)[]
          } | null
        }[]
        /** All groups that are not shown, as one; null when all are shown. */
        readonly rest: {
          /** How many groups are not shown. */
          readonly groups: number
          /** Null when there was nothing to average. */
          readonly value: number | null
          /** One number for each span. */
          readonly values: readonly (number | null)[]
          /** The same for the period before; null without compare. */
          readonly before: {
            /** Null when there was nothing to average. */
            readonly value: number | null
            /** One number for each span. */
            readonly values: readonly (number | null)[]
          } | null
        } | null
      }
      /** In place of the answer, with dry_run. */
      readonly estimate?: Estimate
      /** A line of the reply, with progress. Weeks are those in which the events were received; in rows, a question with groups reads each of them twice. They are null while it is not known how far a question is: rows of funnels, retentions and paths are not read week by week. */
      readonly progress?: Progress
    }
  }
  /** Funnel */
  readonly 'POST /api/v1/events/funnel': {
    readonly body: {
      /** Event names, in order. */
      readonly steps: readonly string[]
      /** The most seconds from the first step to the last. */
      readonly within: number
      /** Event names. A step does not count for a person who did one of these after the first step and before it. */
      readonly exclude?: readonly string[]
      /** A group for each combination of these values of a person’s first event. */
      readonly by?: readonly By[]
      /** How many groups are shown, the largest first; 10 if absent. */
      readonly top?: number
      /** The first day, or a time, in the zone of the brand; 30 days ago if absent. */
      readonly from?: string
      /** The last day, or the time before which events count. */
      readonly to?: string
      /** Only estimates how many events would be read, and how long that takes. No event is looked at. */
      readonly dry_run?: boolean
      /** Answers with NDJSON: about every second a line with `progress`, and the reply as the last line. Its status_code tells whether it is an answer. */
      readonly progress?: boolean
    }
    readonly reply: Success & {
      readonly funnel?: readonly {
        readonly event_name: string
        readonly users: number
        /** The median of the time from the first step; null at the first step, and where nobody came. */
        readonly seconds: number | null
      }[]
      /** The same for each group, in the order of their sizes; empty without by. */
      readonly groups?: readonly {
        readonly by: readonly Json[]
        readonly steps: readonly {
          readonly users: number
          /** The median of the time from the first step; null at the first step, and where nobody came. */
          readonly seconds: number | null
        }[]
      }[]
      /** All groups that are not shown, as one; null when there are none. */
      readonly rest?: {
        readonly groups: number
        readonly steps: readonly {
          readonly users: number
          /** The median of the time from the first step; null at the first step, and where nobody came. */
          readonly seconds: number | null
        }[]
      } | null
      /** In place of the answer, with dry_run. */
      readonly estimate?: Estimate
      /** A line of the reply, with progress. Weeks are those in which the events were received; in rows, a question with groups reads each of them twice. They are null while it is not known how far a question is: rows of funnels, retentions and paths are not read week by week. */
      readonly progress?: Progress
    }
  }
  /** List the people of a funnel */
  readonly 'POST /api/v1/events/funnel/people': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly body: {
      /** Event names, in order. */
      readonly steps: readonly string[]
      /** The step whose people are listed; the first is 1. */
      readonly step: number
      /** People who did the step, or who did the one before it and not this one; reached if absent. */
      readonly did?: 'reached' | 'stopped'
      /** The most seconds from the first step to the last. */
      readonly within: number
      /** Event names. A step does not count for a person who did one of these after the first step and before it. */
      readonly exclude?: readonly string[]
      /** The first day, or a time, in the zone of the brand; 30 days ago if absent. */
      readonly from?: string
      /** The last day, or the time before which events count. */
      readonly to?: string
    }
    readonly reply: Success & {
      readonly people: readonly {
        readonly user_id: string | null
        readonly started_at: string
        /** When the person did their last step up to this one. */
        readonly at: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Paths */
  readonly 'GET /api/v1/events/paths': {
    readonly query: {
      /** The event that the paths begin after. */
      readonly event_name: string
      /** How many events of a path are looked at. */
      readonly depth?: number
      /** Seconds after the first event in which a path ends. */
      readonly within?: number
      /** How many paths are shown, the most frequent first. */
      readonly top?: number
      /** The first day, or a time, in the zone of the brand; 30 days ago if absent. */
      readonly from?: string
      /** The last day, or the time before which events count. */
      readonly to?: string
      /** Only estimates how many events would be read, and how long that takes. No event is looked at. */
      readonly dry_run?: boolean
      /** Answers with NDJSON: about every second a line with `progress`, and the reply as the last line. Its status_code tells whether it is an answer. */
      readonly progress?: boolean
    }
    readonly reply: Success & {
      /** The people who did the first event. */
      readonly users?: number
      readonly paths?: readonly {
        /** The names of the next events, in order; empty for people who did nothing more. */
        readonly events: readonly string[]
        readonly users: number
      }[]
      /** All paths that are not shown, as one; null when there are none. */
      readonly rest?: {
        readonly paths: number
        readonly users: number
      } | null
      /** In place of the answer, with dry_run. */
      readonly estimate?: Estimate
      /** A line of the reply, with progress. Weeks are those in which the events were received; in rows, a question with groups reads each of them twice. They are null while it is not known how far a question is: rows of funnels, retentions and paths are not read week by week. */
      readonly progress?: Progress
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
      /** A group for each combination of these values of a person’s first start: as the `by` of a funnel, in JSON. */
      readonly by?: string
      /** How many groups are shown, the largest first. */
      readonly top?: number
      /** The first day, or a time, in the zone of the brand; 30 days ago if absent. */
      readonly from?: string
      /** The last day, or the time before which events count. */
      readonly to?: string
      /** Only estimates how many events would be read, and how long that takes. No event is looked at. */
      readonly dry_run?: boolean
      /** Answers with NDJSON: about every second a line with `progress`, and the reply as the last line. Its status_code tells whether it is an answer. */
      readonly progress?: boolean
    }
    readonly reply: Success & {
      readonly retention?: readonly {
        /** The first day of the period of the start. */
        readonly cohort: string
        readonly users: number
        readonly returned: readonly (number | null)[]
      }[]
      /** The people of each group, whenever they started, in the order of their sizes; empty without by. */
      readonly groups?: readonly {
        readonly by: readonly Json[]
        /** Everybody of the group who started. */
        readonly users: number
        /** For each period, how many of them started so long ago that it has begun. */
        readonly started: readonly number[]
        /** For each period, how many of them came back in it; null if it has begun for nobody. */
        readonly returned: readonly (number | null)[]
      }[]
      /** All groups that are not shown, as one; null when there are none. */
      readonly rest?: {
        readonly groups: number
        /** Everybody of the group who started. */
        readonly users: number
        /** For each period, how many of them started so long ago that it has begun. */
        readonly started: readonly number[]
        /** For each period, how many of them came back in it; null if it has begun for nobody. */
        readonly returned: readonly (number | null)[]
      } | null
      /** In place of the answer, with dry_run. */
      readonly estimate?: Estimate
      /** A line of the reply, with progress. Weeks are those in which the events were received; in rows, a question with groups reads each of them twice. They are null while it is not known how far a question is: rows of funnels, retentions and paths are not read week by week. */
      readonly progress?: Progress
    }
  }
  /** List the people of a retention report */
  readonly 'GET /api/v1/events/retention/people': {
    readonly query: {
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
      /** The cohort whose people are listed, as the report names it. */
      readonly cohort: string
      /** The place of a number in `returned`. At 0 everybody of the cohort is listed. */
      readonly period?: number
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly people: readonly {
        readonly user_id: string | null
        readonly started_at: string
        /** When the person last came back in this period; at period 0, when they started. */
        readonly at: string
      }[]
      readonly next_cursor: string | null
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
