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
      'Who belongs to it: {"all":[…]}, {"any":[…]} and {"not":…} over {"tag":"vip"}, {"users":["u1","u2"]}, ' +
      '{"attribute":"city","is":"eq","value":"Paris"}, {"field":"last_seen","is":"within_days","value":7}, ' +
      '{"event":"purchase","count":{"gte":2},"within_days":30,"where":[{"attribute":"price","is":"gt","value":10}]} ' +
      'and {"segment":42}.',
  },
  exact: {
    name: 'exact',
    shape: { type: 'boolean' },
    description: 'True counts everybody, however long it takes; otherwise a large number may be an estimate.',
  },
  segment_id: {
    name: 'segment_id',
    shape: { type: 'integer', min: INT64_MIN, max: INT64_MAX },
    description: 'An id of your own, for a segment that arrives from another system; made up when absent.',
  },
} as const satisfies Record<string, FieldRow>
