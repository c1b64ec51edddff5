// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Subscription } from './common.ts'

import type { Success } from './envelope.ts'

export type Segment = {
  readonly segment_id: number | bigint
  readonly name: string
  readonly filter: Readonly<Record<string, unknown>>
  /** Live subscriptions in it when it was last counted; reading one segment counts it. */
  readonly size: number | null
  readonly sized_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly archived_at: string | null
}

export type SegmentsApi = {
  /** Creates a segment */
  readonly 'POST /api/v1/segments': {
    readonly body: {
      /** What people call the segment. */
      readonly name: string
      /** Who belongs to it: {"all":[…]}, {"any":[…]} and {"not":…} over {"tag":"vip"}, {"users":["u1","u2"]}, {"attribute":"city","is":"eq","value":"Paris"}, {"field":"last_seen","is":"within_days","value":7}, {"event":"purchase","count":{"gte":2},"within_days":30,"where":[{"attribute":"price","is":"gt","value":10}]} and {"segment":42}. */
      readonly filter: Readonly<Record<string, unknown>>
      /** An id of your own, for a segment that arrives from another system; made up when absent. */
      readonly segment_id?: (number | bigint) | string
    }
    readonly reply: Success & {
      readonly segment: Segment
    }
  }
  /** Lists segments */
  readonly 'GET /api/v1/segments': {
    readonly query?: {
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
      readonly limit?: number
      /** True lists what was archived, and only that. */
      readonly archived?: boolean
    }
    readonly reply: Success & {
      readonly segments: readonly Segment[]
      readonly next_cursor: string | null
    }
  }
  /** Counts who a filter finds, before it is saved */
  readonly 'POST /api/v1/segments/preview': {
    readonly body: {
      /** Who belongs to it: {"all":[…]}, {"any":[…]} and {"not":…} over {"tag":"vip"}, {"users":["u1","u2"]}, {"attribute":"city","is":"eq","value":"Paris"}, {"field":"last_seen","is":"within_days","value":7}, {"event":"purchase","count":{"gte":2},"within_days":30,"where":[{"attribute":"price","is":"gt","value":10}]} and {"segment":42}. */
      readonly filter: Readonly<Record<string, unknown>>
      /** True counts everybody, however long it takes; otherwise a large number may be an estimate. */
      readonly exact?: boolean
    }
    readonly reply: Success & {
      /** Live subscriptions. */
      readonly count: number
      /** How far `count` may be off, 19 times of 20; 0 when everybody was counted. */
      readonly margin: number
      /** `count`, platform by platform. */
      readonly platforms: {
        readonly android?: number
        readonly ios?: number
        readonly web?: number
      }
      /** The first few of them. */
      readonly sample: readonly Subscription[]
    }
  }
  /** Reads one segment with its present size */
  readonly 'GET /api/v1/segments/{segment_id}': {
    readonly path: {
      readonly segment_id: string
    }
    readonly reply: Success & {
      readonly segment: Segment
    }
  }
  /** Changes the name or the filter of a segment */
  readonly 'PATCH /api/v1/segments/{segment_id}': {
    readonly path: {
      readonly segment_id: string
    }
    readonly body: {
      /** What people call the segment. */
      readonly name?: string
      /** Who belongs to it: {"all":[…]}, {"any":[…]} and {"not":…} over {"tag":"vip"}, {"users":["u1","u2"]}, {"attribute":"city","is":"eq","value":"Paris"}, {"field":"last_seen","is":"within_days","value":7}, {"event":"purchase","count":{"gte":2},"within_days":30,"where":[{"attribute":"price","is":"gt","value":10}]} and {"segment":42}. */
      readonly filter?: Readonly<Record<string, unknown>>
    }
    readonly reply: Success & {
      readonly segment: Segment
    }
  }
  /** Puts a segment away */
  readonly 'POST /api/v1/segments/{segment_id}/archive': {
    readonly path: {
      readonly segment_id: string
    }
    readonly reply: Success & {
      readonly segment: Segment
    }
  }
  /** Lists the live subscriptions in a segment */
  readonly 'GET /api/v1/segments/{segment_id}/members': {
    readonly path: {
      readonly segment_id: string
    }
    readonly query?: {
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly subscriptions: readonly Subscription[]
      readonly next_cursor: string | null
    }
  }
  /** Shows how large a segment was, day by day */
  readonly 'GET /api/v1/segments/{segment_id}/sizes': {
    readonly path: {
      readonly segment_id: string
    }
    readonly query?: {
      /** How many days. */
      readonly days?: number
    }
    readonly reply: Success & {
      readonly sizes: readonly {
        readonly day: string
        /** Live subscriptions. */
        readonly size: number
      }[]
    }
  }
  /** Puts a list of people into a segment */
  readonly 'POST /api/v1/segments/{segment_id}/import': {
    readonly path: {
      readonly segment_id: string
    }
    readonly bodyType: 'text/csv'
    readonly body: string | Uint8Array | ReadableStream<Uint8Array>
    readonly reply: Response
  }
}
