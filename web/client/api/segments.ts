// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Subscription } from './common.ts'
import type { SegmentFilter } from './documents.ts'
import type { Success } from './envelope.ts'

export type Segment = {
  readonly segment_id: number | bigint
  readonly name: string
  readonly filter: SegmentFilter
  /** The number of live subscriptions at the last count; reading one segment counts it. */
  readonly size: number | null
  readonly sized_at: string | null
  /** Why the segment could not be counted since: `too_many_old_events`. Let the segment look back fewer days, or ask the operator to keep rows for more days (BECKON_EVENT_ROWS_DAYS). */
  readonly size_reason: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly archived_at: string | null
}

export type SegmentsApi = {
  /** Create a segment */
  readonly 'POST /api/v1/segments': {
    readonly body: {
      /** The name of the segment. */
      readonly name: string
      /** The conditions that a member of the segment meets. */
      readonly filter: SegmentFilter
      /** Your own id, for a segment from another system; Beckon makes one if absent. */
      readonly segment_id?: (number | bigint) | string
    }
    readonly reply: Success & {
      readonly segment: Segment
    }
  }
  /** List segments */
  readonly 'GET /api/v1/segments': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** True lists only archived ones. */
      readonly archived?: boolean
    }
    readonly reply: Success & {
      readonly segments: readonly Segment[]
      readonly next_cursor: string | null
    }
  }
  /** Preview a filter */
  readonly 'POST /api/v1/segments/preview': {
    readonly body: {
      /** The conditions that a member of the segment meets. */
      readonly filter: SegmentFilter
      /** True always counts everybody; otherwise a large number may be an estimate. */
      readonly exact?: boolean
    }
    readonly reply: Success & {
      /** The number of live subscriptions. */
      readonly count: number
      /** How far `count` may be off, in 19 of 20 cases; 0 if everybody was counted. */
      readonly margin: number
      /** `count`, platform by platform. */
      readonly platforms: {
        readonly android?: number
        readonly ios?: number
        readonly web?: number
      }
      /** The first ten of them. */
      readonly sample: readonly Subscription[]
    }
  }
  /** List the live subscriptions that a filter finds */
  readonly 'POST /api/v1/segments/preview/members': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** Only the devices of this platform. */
      readonly platform?: 'android' | 'ios' | 'web'
    }
    readonly body: {
      /** The conditions that a member of the segment meets. */
      readonly filter: SegmentFilter
    }
    readonly reply: Success & {
      readonly subscriptions: readonly Subscription[]
      readonly next_cursor: string | null
    }
  }
  /** Read a segment with its present size */
  readonly 'GET /api/v1/segments/{segment_id}': {
    readonly path: {
      readonly segment_id: string
    }
    readonly reply: Success & {
      readonly segment: Segment
    }
  }
  /** Change a segment */
  readonly 'PATCH /api/v1/segments/{segment_id}': {
    readonly path: {
      readonly segment_id: string
    }
    readonly body: {
      /** The name of the segment. */
      readonly name?: string
      /** The conditions that a member of the segment meets. */
      readonly filter?: SegmentFilter
    }
    readonly reply: Success & {
      readonly segment: Segment
    }
  }
  /** Archive a segment */
  readonly 'POST /api/v1/segments/{segment_id}/archive': {
    readonly path: {
      readonly segment_id: string
    }
    readonly reply: Success & {
      readonly segment: Segment
    }
  }
  /** List the live subscriptions of a segment */
  readonly 'GET /api/v1/segments/{segment_id}/members': {
    readonly path: {
      readonly segment_id: string
    }
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** Only the devices of this platform. */
      readonly platform?: 'android' | 'ios' | 'web'
    }
    readonly reply: Success & {
      readonly subscriptions: readonly Subscription[]
      readonly next_cursor: string | null
    }
  }
  /** Read the size of a segment, day by day */
  readonly 'GET /api/v1/segments/{segment_id}/sizes': {
    readonly path: {
      readonly segment_id: string
    }
    readonly query?: {
      /** The number of days. */
      readonly days?: number
    }
    readonly reply: Success & {
      readonly sizes: readonly {
        readonly day: string
        /** The number of live subscriptions. */
        readonly size: number
      }[]
    }
  }
  /** Import a list of people into a segment */
  readonly 'POST /api/v1/segments/{segment_id}/import': {
    readonly path: {
      readonly segment_id: string
    }
    readonly bodyType: 'text/csv'
    readonly body: string | Uint8Array | ReadableStream<Uint8Array>
    readonly reply: Response
  }
}
