// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Check, Reason } from './common.ts'

import type { EventMatch, JourneyStep, JourneyTrigger, QuietWindow } from './documents.ts'
import type { Success } from './envelope.ts'

export type Journey = {
  readonly journey_id: number | bigint
  readonly name: string
  readonly state: State
  /** Grows with each change of the document. */
  readonly version: number
  /** False if the stored document is damaged: nobody enters, and nobody inside takes a step. */
  readonly is_readable: boolean
  /** Why nobody can enter by the segment at present: `too_many_old_events`. Let the segment look back fewer days, or ask the operator to keep rows for more days (BECKON_EVENT_ROWS_DAYS). */
  readonly reason: string | null
  readonly active_since: string | null
  readonly created_at: string
  readonly updated_at: string
  /** The event, segment or date that lets people in. */
  readonly trigger: JourneyTrigger
  /** The steps, from the first on. */
  readonly steps: readonly JourneyStep[]
  /** The event that ends the journey with success. */
  readonly goal?: EventMatch | null
  /** The event that ends the journey without success. */
  readonly exit?: EventMatch | null
  /** Whether a person may enter again; never when absent. */
  readonly reentry?: ('never' | 'after_exit' | 'always') | null
  /** When sends wait, in the person’s zone. */
  readonly quiet_hours?: readonly QuietWindow[] | null
}

export type State = 'draft' | 'active' | 'paused' | 'archived'

export type JourneysApi = {
  /** Create a journey */
  readonly 'POST /api/v1/journeys': {
    readonly body: {
      /** The name of the journey, for people. */
      readonly name: string
      /** The event, segment or date that lets people in. */
      readonly trigger: JourneyTrigger
      /** The steps, from the first on. */
      readonly steps: readonly JourneyStep[]
      /** The event that ends the journey with success. */
      readonly goal?: EventMatch | null
      /** The event that ends the journey without success. */
      readonly exit?: EventMatch | null
      /** Whether a person may enter again; never when absent. */
      readonly reentry?: ('never' | 'after_exit' | 'always') | null
      /** When sends wait, in the person’s zone. */
      readonly quiet_hours?: readonly QuietWindow[] | null
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** List journeys */
  readonly 'GET /api/v1/journeys': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** True lists only archived ones. */
      readonly archived?: boolean
      readonly state?: 'draft' | 'active' | 'paused' | 'archived'
      /** A part of the name, in any case. */
      readonly text?: string
    }
    readonly reply: Success & {
      readonly journeys: readonly {
        readonly journey_id: number | bigint
        readonly name: string
        readonly state: State
        /** Grows with each change of the document. */
        readonly version: number
        /** False if the stored document is damaged: nobody enters, and nobody inside takes a step. */
        readonly is_readable: boolean
        /** Why nobody can enter by the segment at present: `too_many_old_events`. Let the segment look back fewer days, or ask the operator to keep rows for more days (BECKON_EVENT_ROWS_DAYS). */
        readonly reason: string | null
        readonly active_since: string | null
        readonly created_at: string
        readonly updated_at: string
        /** The event, segment or date that lets people in. */
        readonly trigger: JourneyTrigger
        /** The steps, from the first on. */
        readonly steps: readonly JourneyStep[]
        /** The event that ends the journey with success. */
        readonly goal?: EventMatch | null
        /** The event that ends the journey without success. */
        readonly exit?: EventMatch | null
        /** Whether a person may enter again; never when absent. */
        readonly reentry?: ('never' | 'after_exit' | 'always') | null
        /** When sends wait, in the person’s zone. */
        readonly quiet_hours?: readonly QuietWindow[] | null
        /** Of all versions and all time. */
        readonly counts: {
          /** How often somebody entered; one person may do so several times. */
          readonly entered: number
          /** The number of people inside at this moment. */
          readonly inside: number
          /** How often somebody left by the goal. */
          readonly goal: number
          /** How often somebody reached the end. */
          readonly completed: number
          /** How often somebody left for another reason. */
          readonly exited: number
          /** How often a step sent a notification. */
          readonly sent: number
        }
        /** goal divided by entered, between 0 and 1; null when nobody entered. */
        readonly goal_rate: number | null
        /** The messages and clicks of the last 30 days. */
        readonly recent: {
          readonly days: number
          /** Messages that a push service took. */
          readonly accepted: number
          /** Messages that failed for good. */
          readonly failed: number
          /** Messages that were clicked. */
          readonly clicked: number
          /** clicked divided by accepted; null when nothing was accepted. */
          readonly click_rate: number | null
        }
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Validate a journey */
  readonly 'POST /api/v1/journeys/validate': {
    readonly body: {
      /** The name of the journey, for people. */
      readonly name?: string
      /** The event, segment or date that lets people in. */
      readonly trigger: JourneyTrigger
      /** The steps, from the first on. */
      readonly steps: readonly JourneyStep[]
      /** The event that ends the journey with success. */
      readonly goal?: EventMatch | null
      /** The event that ends the journey without success. */
      readonly exit?: EventMatch | null
      /** Whether a person may enter again; never when absent. */
      readonly reentry?: ('never' | 'after_exit' | 'always') | null
      /** When sends wait, in the person’s zone. */
      readonly quiet_hours?: readonly QuietWindow[] | null
    }
    readonly reply: Success & {
      readonly is_valid: boolean
      readonly steps: number
      /** The names of the events that the journey listens to. */
      readonly listens_to: readonly string[]
    }
  }
  /** Read a journey */
  readonly 'GET /api/v1/journeys/{journey_id}': {
    readonly path: {
      readonly journey_id: string
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** Change a journey */
  readonly 'PATCH /api/v1/journeys/{journey_id}': {
    readonly path: {
      readonly journey_id: string
    }
    readonly body: {
      /** The name of the journey, for people. */
      readonly name?: string
      /** The event, segment or date that lets people in. */
      readonly trigger?: JourneyTrigger
      /** The steps, from the first on. */
      readonly steps?: readonly JourneyStep[]
      /** The event that ends the journey with success. */
      readonly goal?: EventMatch | null
      /** The event that ends the journey without success. */
      readonly exit?: EventMatch | null
      /** Whether a person may enter again; never when absent. */
      readonly reentry?: ('never' | 'after_exit' | 'always') | null
      /** When sends wait, in the person’s zone. */
      readonly quiet_hours?: readonly QuietWindow[] | null
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** Activate a journey */
  readonly 'POST /api/v1/journeys/{journey_id}/activate': {
    readonly path: {
      readonly journey_id: string
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** Pause a journey */
  readonly 'POST /api/v1/journeys/{journey_id}/pause': {
    readonly path: {
      readonly journey_id: string
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** Archive a journey */
  readonly 'POST /api/v1/journeys/{journey_id}/archive': {
    readonly path: {
      readonly journey_id: string
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** List the versions of a journey */
  readonly 'GET /api/v1/journeys/{journey_id}/versions': {
    readonly path: {
      readonly journey_id: string
    }
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly versions: readonly {
        readonly version: number
        readonly inside: number
        /** False if the stored document is damaged: nobody enters, and nobody inside takes a step. */
        readonly is_readable: boolean
        readonly created_at: string
        /** The event, segment or date that lets people in. */
        readonly trigger: JourneyTrigger
        /** The steps, from the first on. */
        readonly steps: readonly JourneyStep[]
        /** The event that ends the journey with success. */
        readonly goal?: EventMatch | null
        /** The event that ends the journey without success. */
        readonly exit?: EventMatch | null
        /** Whether a person may enter again; never when absent. */
        readonly reentry?: ('never' | 'after_exit' | 'always') | null
        /** When sends wait, in the person’s zone. */
        readonly quiet_hours?: readonly QuietWindow[] | null
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Count what happened at each step */
  readonly 'GET /api/v1/journeys/{journey_id}/counts': {
    readonly path: {
      readonly journey_id: string
    }
    readonly query?: {
      /** Only this version; all versions together if absent. */
      readonly version?: number
    }
    readonly reply: Success & {
      readonly counts: {
        /** The number of people inside at this moment. */
        readonly inside: number
        readonly steps: readonly {
          readonly id: string
          readonly inside: number
        }[]
      }
    }
  }
  /** Count what happened at each step on each day */
  readonly 'GET /api/v1/journeys/{journey_id}/days': {
    readonly path: {
      readonly journey_id: string
    }
    readonly query?: {
      /** The first day, or a time, in the zone; if absent, 60 minutes, 48 hours, 30 days, 13 weeks before the end. */
      readonly from?: string
      /** The last day, or the end, in the zone; now if absent. */
      readonly to?: string
      /** An IANA name or an offset; the zone of the brand if absent. */
      readonly time_zone?: string
    }
    readonly reply: Success & {
      readonly days: {
        readonly days: readonly string[]
        readonly entered: readonly number[]
        /** Each code of a path, and the counts of messages, has one number for each day. */
        readonly steps: readonly {
          readonly id: string
          readonly sent: readonly number[]
          readonly accepted: readonly number[]
          readonly failed: readonly number[]
          readonly received: readonly number[]
          readonly clicked: readonly number[]
          readonly dismissed: readonly number[]
        }[]
      }
    }
  }
  /** Read the results of a journey */
  readonly 'GET /api/v1/journeys/{journey_id}/results': {
    readonly path: {
      readonly journey_id: string
    }
    readonly reply: Success & {
      readonly results: {
        readonly as_of: string
        readonly attributed: {
          /** The goal events that count for the last message before them. */
          readonly conversions: number
          readonly people: number
          /** The sum of their ltv, a decimal. */
          readonly ltv: string
          /** The people as a share of all entries into the journey; null if nobody entered. */
          readonly rate: number | null
        }
        readonly steps: readonly {
          readonly step: string
          /** The goal events that count for the last message before them. */
          readonly conversions: number
          readonly people: number
          /** The sum of their ltv, a decimal. */
          readonly ltv: string
          /** The people as a share of the times that this step sent; null if it sent nothing. */
          readonly rate: number | null
        }[]
        readonly platforms: readonly {
          readonly platform: 'android' | 'ios' | 'web'
          /** The goal events that count for the last message before them. */
          readonly conversions: number
          readonly people: number
          /** The sum of their ltv, a decimal. */
          readonly ltv: string
        }[]
      }
    }
  }
  /** List the people in a journey */
  readonly 'GET /api/v1/journeys/{journey_id}/people': {
    readonly path: {
      readonly journey_id: string
    }
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** Only people at this step. */
      readonly step?: string
      /** Only people who entered on this version, and so finish on it. */
      readonly version?: number
      /** People inside, those who left in this way, or all who entered, as far as they are kept; active if absent. */
      readonly state?: 'active' | 'completed' | 'goal' | 'exited' | 'all'
      /** The beginning of a user id, an email or a mobile number, in any letter case. */
      readonly search?: string
    }
    readonly reply: Success & {
      readonly people: readonly {
        readonly enrolment_id: number | bigint
        readonly user_id: string | null
        readonly version: number
        readonly state: 'active' | 'completed' | 'goal' | 'exited'
        readonly step: string | null
        /** Whether the person waits in the step, and is not about to take it. */
        readonly is_waiting: boolean
        readonly entered_at: string
        /** Since when the person is there, or has left. */
        readonly step_at: string
        readonly next_at: string | null
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Try a journey out with a person */
  readonly 'POST /api/v1/journeys/{journey_id}/dry_run': {
    readonly path: {
      readonly journey_id: string
    }
    readonly body: {
      /** The person. */
      readonly user_id: string
      /** The attributes of the event that starts the journey. */
      readonly attributes?: Readonly<Record<string, Json>>
      /** Events that are taken to happen. */
      readonly events?: readonly {
        readonly event_name: string
        /** How many seconds from now it is taken to happen. */
        readonly after: number
        readonly attributes?: Readonly<Record<string, Json>>
      }[]
    }
    readonly reply: Success & {
      readonly dry_run: {
        readonly user_id: string
        readonly version: number
        /** would_enter: the trigger lets the person in. goes_on: the person is inside, and this is the further way. is_inside, was_inside: the journey lets nobody in again. no_match: the attributes are not those of the trigger. */
        readonly entry: 'would_enter' | 'goes_on' | 'is_inside' | 'was_inside' | 'no_match'
        readonly path: readonly {
          readonly at: string
          readonly step: string | null
          readonly code: string
          /** Why. */
          readonly message: string
          /** False for a branch that is reached after a wait or a change: it is judged by what is true of the person now. */
          readonly is_certain: boolean
          readonly sends?: readonly {
            readonly platform: string
            readonly title: string
            readonly message: string
          }[]
        }[]
        readonly ends: ('completed' | 'goal' | 'exited') | null
        /** Whether the way has more than 200 entries. */
        readonly is_cut: boolean
      }
    }
  }
  /** Read a person’s path through a journey */
  readonly 'GET /api/v1/journeys/{journey_id}/people/{user_id}': {
    readonly path: {
      readonly journey_id: string
      readonly user_id: string
    }
    readonly reply: Success & {
      readonly enrolments: readonly {
        readonly enrolment_id: number | bigint
        readonly version: number
        readonly state: 'active' | 'completed' | 'goal' | 'exited'
        readonly step: string | null
        readonly entered_at: string
        readonly next_at: string | null
        readonly path: readonly {
          readonly at: string
          readonly step: string | null
          readonly code: string
          readonly message: string
        }[]
      }[]
    }
  }
  /** Explain why a person did or did not get it */
  readonly 'GET /api/v1/explain': {
    readonly query: {
      /** The person. */
      readonly user_id: string
      /** The id of a notification. */
      readonly notification?: string
      /** The id of a campaign. */
      readonly campaign?: string
      /** The id of a journey. */
      readonly journey?: string
    }
    readonly reply: Success & {
      readonly explanation: {
        readonly user_id: string
        readonly notification?: string
        readonly campaign?: number | bigint
        readonly journey?: number | bigint
        /** Whether a push service accepted at least one message for the person. */
        readonly is_reached: boolean
        readonly reasons: readonly Reason[]
        /** The same as a chain of checks, for a notification and a campaign, in their order. */
        readonly checks?: readonly Check[]
      }
    }
  }
}
