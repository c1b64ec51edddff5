import { OLD_EVENTS_ADVICE, OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import type { Segment } from '../../store/segments/segments.ts'
import { documentRef } from '../schema/document.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, INSTANT_OR_NULL, instantOf, instantOrNull } from '../schema/view.ts'

export function renderSegment(segment: Segment): object {
  return {
    segment_id: segment.id,
    name: segment.name,
    filter: segment.filter,
    size: segment.size,
    sized_at: orNull(segment.sizedAt),
    size_reason: segment.sizeReason,
    created_at: instantOf(segment.createdAt),
    updated_at: instantOf(segment.updatedAt),
    archived_at: orNull(segment.archivedAt),
  }
}

function orNull(at: number | null): string | null {
  return instantOrNull(at)
}

export const SEGMENT_VIEW = Type.Object({
  segment_id: Type.Integer({ format: 'int64' }),
  name: Type.String(),
  filter: Type.Unsafe<object>(documentRef('SegmentFilter')),
  size: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The number of live subscriptions at the last count; reading one segment counts it.',
  }),
  sized_at: INSTANT_OR_NULL,
  size_reason: Type.Union([Type.String(), Type.Null()], {
    description: `Why the segment could not be counted since: \`${OLD_EVENTS_REASON}\`. ${OLD_EVENTS_ADVICE}`,
  }),
  created_at: INSTANT,
  updated_at: INSTANT,
  archived_at: INSTANT_OR_NULL,
})

export const SIZE_VIEW = Type.Object({
  day: Type.String({ format: 'date' }),
  size: Type.Integer({ description: 'The number of live subscriptions.' }),
})
