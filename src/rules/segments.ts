import { type FieldRow, INT64_MAX, INT64_MIN } from './fields.ts'

/** What a stored filter is written in. A later form gets the next number, and the old ones are still read. */
export const SEGMENT_FORMAT = 1

/** Bounds of a segment and of its filter, so that whoever evaluates one knows the most it can cost. */
export const SEGMENT_LIMITS = {
  nameCharsMax: 200,
  /** Levels of `all`, `any` and `not`, the conditions at the bottom included. */
  depthMax: 8,
  nodesMax: 200,
  usersMax: 10_000,
  userCharsMax: 100,
  tagCharsMax: 100,
  attributeCharsMax: 49,
  eventCharsMax: 254,
  /** A text or a number that something is compared with, and how many of them `in` takes. */
  valueCharsMax: 999,
  valuesMax: 1_000,
  daysMax: 3_650,
  countMax: 1_000_000,
  whereMax: 10,
  /** How many segments a filter may refer to, and how long a chain of such references may be. */
  referencesMax: 5,
  referenceDepthMax: 4,
  /** How many others a segment may bring along in all, each as often as it is referred to: all are asked as one. */
  broughtMax: 10,
  /** The history of its size holds one number a day, for so many days. */
  sizeDaysKept: 400,
  /** Tags that one person may come to carry through lists. */
  personTagsMax: 1_000,
  /** A refusal names this many bad places and stops looking. */
  faultsMax: 20,
} as const

/**
 * A preview asks about an eighth of the people first, whom chance picked, a power of two because the last bits of a hash
 * choose. If that finds so many and the others would take so long, it tells for all: within 8 % 19 times of 20.
 */
export const SEGMENT_ESTIMATE = { shares: 8, foundMin: 500, patienceMs: 250 } as const

/** What a node of a filter may be. Each has exactly one of these keys, and beside it only those that are listed. */
export const SEGMENT_CONDITIONS = {
  all: { meaning: 'every one of a list of filters holds', beside: [] },
  any: { meaning: 'at least one of a list of filters holds', beside: [] },
  not: { meaning: 'the filter does not hold', beside: [] },
  tag: { meaning: 'the subscription or its person carries the tag', beside: [] },
  users: { meaning: 'the person is one of the listed users', beside: [] },
  attribute: { meaning: 'an attribute of the person compares as asked', beside: ['is', 'value'] },
  event: { meaning: 'the person did it as often as asked', beside: ['count', 'within_days', 'where'] },
  field: { meaning: 'something Beckon knows by itself compares as asked', beside: ['is', 'value'] },
  segment: { meaning: 'another segment holds them', beside: [] },
} as const satisfies Record<string, { readonly meaning: string; readonly beside: readonly string[] }>

export type SegmentCondition = keyof typeof SEGMENT_CONDITIONS

/** How something is compared, and what with. `ne` wants another value, not none; `not` with `eq` takes both. */
export const SEGMENT_OPERATORS = {
  eq: 'scalar',
  ne: 'scalar',
  in: 'scalars',
  gt: 'number',
  gte: 'number',
  lt: 'number',
  lte: 'number',
  contains: 'text',
  starts_with: 'text',
  before: 'date',
  after: 'date',
  within_days: 'days',
  exists: 'none',
  missing: 'none',
} as const satisfies Record<string, string>

export type SegmentOperator = keyof typeof SEGMENT_OPERATORS

const TEXT = ['eq', 'ne', 'in', 'contains', 'starts_with', 'exists', 'missing'] as const
const INSTANT = ['before', 'after', 'within_days', 'exists', 'missing'] as const
const NUMBER = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists', 'missing'] as const

/** What Beckon knows by itself: of the device, and from `last_seen` on of its person. */
export const SEGMENT_FACTS = {
  platform: { holds: 'text', operators: TEXT },
  language: { holds: 'text', operators: TEXT },
  time_zone: { holds: 'text', operators: TEXT },
  browser: { holds: 'text', operators: TEXT },
  app_version: { holds: 'text', operators: TEXT },
  last_seen: { holds: 'instant', operators: INSTANT },
  created_at: { holds: 'instant', operators: INSTANT },
  ltv: { holds: 'number', operators: NUMBER },
} as const satisfies Record<string, FactRow>

type FactRow = {
  readonly holds: 'text' | 'instant' | 'number'
  readonly operators: readonly SegmentOperator[]
}

export type SegmentFact = keyof typeof SEGMENT_FACTS

/** How an event's count is compared. */
export const SEGMENT_COUNTS = ['eq', 'gt', 'gte', 'lt', 'lte'] as const
export type SegmentCount = (typeof SEGMENT_COUNTS)[number]

/** The bodies that make, change and preview a segment. */
export const SEGMENT_FIELDS = {
  name: {
    name: 'name',
    shape: { type: 'text', charsMax: SEGMENT_LIMITS.nameCharsMax },
    description: 'The name of the segment.',
  },
  filter: {
    name: 'filter',
    shape: { type: 'object' },
    description:
      'The filter: {"all":[…]}, {"any":[…]} and {"not":…} over {"tag":"vip"}, {"users":["u1","u2"]}, ' +
      '{"attribute":"city","is":"eq","value":"Paris"}, {"field":"last_seen","is":"within_days","value":7}, ' +
      '{"event":"purchase","count":{"gte":2},"within_days":30,"where":[{"attribute":"price","is":"gt","value":10}]} ' +
      'and {"segment":42}.',
  },
  exact: {
    name: 'exact',
    shape: { type: 'boolean' },
    description: 'True always counts everybody; otherwise a large number may be an estimate.',
  },
  segment_id: {
    name: 'segment_id',
    shape: { type: 'integer', min: INT64_MIN, max: INT64_MAX },
    description: 'Your own id, for a segment from another system; Beckon makes one if absent.',
  },
} as const satisfies Record<string, FieldRow>
