// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type Journey = {
  readonly journey_id: number | bigint
  readonly name: string
  readonly state: State
  /** Rises with each change of what it does. */
  readonly version: number
  /** False when what is stored is damaged: then nobody enters, and whoever is inside stands still. */
  readonly is_readable: boolean
  readonly active_since: string | null
  readonly created_at: string
  readonly updated_at: string
}

export type State = 'draft' | 'active' | 'paused' | 'archived'

export type JourneysApi = {
  /** Creates a journey */
  readonly 'POST /api/v1/journeys': {
    readonly body: {
      /** What people call the journey. */
      readonly name: string
      /** What lets people in: {"event": …, "where": […]}, {"segment_entered": id}, {"segment_left": id} or {"date": attribute, "offset_days": …, "at": "09:00", "yearly": true}. */
      readonly trigger: unknown
      /** What happens then, a list of steps; docs/journeys.md has them all. */
      readonly steps: unknown
      /** The event that ends it with success: {"event": …, "where": […]}. */
      readonly goal?: unknown
      /** The event that ends it without success. */
      readonly exit?: unknown
      /** Whether a person may enter again: never (the default), after_exit or always. */
      readonly reentry?: unknown
      /** When sends wait, in the person’s zone: [{"days": ["monday"], "from": "22:00", "to": "08:00"}]. */
      readonly quiet_hours?: unknown
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** Lists journeys */
  readonly 'GET /api/v1/journeys': {
    readonly query?: {
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
      readonly limit?: number
      /** True lists what was archived, and only that. */
      readonly archived?: boolean
    }
    readonly reply: Success & {
      readonly journeys: readonly Journey[]
      readonly next_cursor: string | null
    }
  }
  /** Says whether a journey is good, before it is saved */
  readonly 'POST /api/v1/journeys/validate': {
    readonly body: {
      /** What people call the journey. */
      readonly name?: string
      /** What lets people in: {"event": …, "where": […]}, {"segment_entered": id}, {"segment_left": id} or {"date": attribute, "offset_days": …, "at": "09:00", "yearly": true}. */
      readonly trigger: unknown
      /** What happens then, a list of steps; docs/journeys.md has them all. */
      readonly steps: unknown
      /** The event that ends it with success: {"event": …, "where": […]}. */
      readonly goal?: unknown
      /** The event that ends it without success. */
      readonly exit?: unknown
      /** Whether a person may enter again: never (the default), after_exit or always. */
      readonly reentry?: unknown
      /** When sends wait, in the person’s zone: [{"days": ["monday"], "from": "22:00", "to": "08:00"}]. */
      readonly quiet_hours?: unknown
    }
    readonly reply: Success & {
      readonly is_valid: boolean
      readonly steps: number
      /** The events it wants to hear of. */
      readonly listens_to: readonly string[]
    }
  }
  /** Reads a journey */
  readonly 'GET /api/v1/journeys/{journey_id}': {
    readonly path: {
      readonly journey_id: string
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** Changes a journey */
  readonly 'PATCH /api/v1/journeys/{journey_id}': {
    readonly path: {
      readonly journey_id: string
    }
    readonly body: {
      /** What people call the journey. */
      readonly name?: string
      /** What lets people in: {"event": …, "where": […]}, {"segment_entered": id}, {"segment_left": id} or {"date": attribute, "offset_days": …, "at": "09:00", "yearly": true}. */
      readonly trigger?: unknown
      /** What happens then, a list of steps; docs/journeys.md has them all. */
      readonly steps?: unknown
      /** The event that ends it with success: {"event": …, "where": […]}. */
      readonly goal?: unknown
      /** The event that ends it without success. */
      readonly exit?: unknown
      /** Whether a person may enter again: never (the default), after_exit or always. */
      readonly reentry?: unknown
      /** When sends wait, in the person’s zone: [{"days": ["monday"], "from": "22:00", "to": "08:00"}]. */
      readonly quiet_hours?: unknown
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** Lets people in */
  readonly 'POST /api/v1/journeys/{journey_id}/activate': {
    readonly path: {
      readonly journey_id: string
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** Holds a journey */
  readonly 'POST /api/v1/journeys/{journey_id}/pause': {
    readonly path: {
      readonly journey_id: string
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** Ends a journey for good */
  readonly 'POST /api/v1/journeys/{journey_id}/archive': {
    readonly path: {
      readonly journey_id: string
    }
    readonly reply: Success & {
      readonly journey: Journey
    }
  }
  /** Lists the versions of a journey */
  readonly 'GET /api/v1/journeys/{journey_id}/versions': {
    readonly path: {
      readonly journey_id: string
    }
    readonly query?: {
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly versions: readonly {
        readonly version: number
        readonly inside: number
        /** False when what is stored is damaged: then nobody enters, and whoever is inside stands still. */
        readonly is_readable: boolean
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Counts what happened at each step */
  readonly 'GET /api/v1/journeys/{journey_id}/counts': {
    readonly path: {
      readonly journey_id: string
    }
    readonly query?: {
      /** Only this version; else all together. */
      readonly version?: number
    }
    readonly reply: Success & {
      readonly counts: {
        /** People inside now. */
        readonly inside: number
        readonly steps: readonly {
          readonly id: string
          readonly inside: number
        }[]
      }
    }
  }
  /** Shows one person’s path through a journey, with reasons */
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
  /** Says why a person got a notification, or took their way in a journey, or did not */
  readonly 'GET /api/v1/explain': {
    readonly query: {
      /** Whom it is about. */
      readonly user_id: string
      /** The id of a notification. */
      readonly notification?: string
      /** The id of a journey. */
      readonly journey?: string
    }
    readonly reply: Success & {
      readonly explanation: {
        readonly user_id: string
        readonly notification?: string
        readonly journey?: number | bigint
        /** Whether a push service is known to have taken anything. */
        readonly is_reached: boolean
        readonly reasons: readonly {
          /** Stable, for programs. */
          readonly code: string
          /** A sentence, for people. */
          readonly message: string
        }[]
      }
    }
  }
}
