import { type FieldRow, INT64_MAX, INT64_MIN } from './fields.ts'
import { SEGMENT_LIMITS } from './segment-limits.ts'

/** The bodies that make, change and preview a segment. */
export const SEGMENT_FIELDS = {
  name: {
    name: 'name',
    shape: { type: 'text', charsMax: SEGMENT_LIMITS.nameCharsMax },
    description: 'What people call the segment.',
  },
  filter: {
    name: 'filter',
    shape: { type: 'object' },
    description:
      'Who belongs to it: {"all":[…]}, {"any":[…]} and {"not":…} over {"tag":"vip"} and {"users":["u1","u2"]}.',
  },
  segment_id: {
    name: 'segment_id',
    shape: { type: 'integer', min: INT64_MIN, max: INT64_MAX },
    description: 'An id of your own, for a segment that arrives from another system; made up when absent.',
  },
} as const satisfies Record<string, FieldRow>
