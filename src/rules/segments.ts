import type {
  DocumentForms,
  DocumentKey,
  DocumentOperators,
  DocumentRows,
  DocumentShape,
} from './documents.ts'
import { type FieldRow, INT64_MAX, INT64_MIN } from './fields.ts'

/** The format of a stored filter. A later format gets the next number, and the old ones are still read. */
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
} as const

/**
 * A preview asks about an eighth of the people first, whom chance picked, a power of two because the last bits of a hash
 * choose. If that finds so many and the others would take so long, it tells for all: within 8 % 19 times of 20.
 */
export const SEGMENT_ESTIMATE = { shares: 8, foundMin: 500, patienceMs: 250 } as const

const { valueCharsMax, valuesMax, daysMax } = SEGMENT_LIMITS
const TEXT = { type: 'text', charsMin: 0, charsMax: valueCharsMax } as const
const NUMBER = { type: 'number' } as const
const SCALAR = { type: 'scalar', charsMax: valueCharsMax } as const
const DATE = { type: 'date' } as const
const DAYS = { type: 'integer', min: 1, max: daysMax } as const
const VALUES = { type: 'list', noun: 'values', itemsMin: 1, itemsMax: valuesMax } as const
const TEXTS = { ...VALUES, of: TEXT } as const
const NUMBERS = { ...VALUES, of: NUMBER } as const
const SCALARS = { ...VALUES, of: SCALAR } as const

/**
 * How an attribute is compared, with the shape of what it is compared with. `ne` finds another value, but not a missing
 * one; `not` around `eq` finds both.
 */
export const SEGMENT_OPERATORS = {
  eq: SCALAR,
  ne: SCALAR,
  in: SCALARS,
  gt: NUMBER,
  gte: NUMBER,
  lt: NUMBER,
  lte: NUMBER,
  contains: TEXT,
  starts_with: TEXT,
  before: DATE,
  after: DATE,
  within_days: DAYS,
  exists: null,
  missing: null,
} as const satisfies DocumentOperators

type SegmentOperator = keyof typeof SEGMENT_OPERATORS

const OF_TEXT = {
  eq: TEXT,
  ne: TEXT,
  in: TEXTS,
  contains: TEXT,
  starts_with: TEXT,
  exists: null,
  missing: null,
} as const satisfies Partial<Record<SegmentOperator, DocumentShape | null>>
const OF_INSTANT = {
  before: DATE,
  after: DATE,
  within_days: DAYS,
  exists: null,
  missing: null,
} as const satisfies Partial<Record<SegmentOperator, DocumentShape | null>>
const OF_NUMBER = {
  eq: NUMBER,
  ne: NUMBER,
  in: NUMBERS,
  gt: NUMBER,
  gte: NUMBER,
  lt: NUMBER,
  lte: NUMBER,
  exists: null,
  missing: null,
} as const satisfies Partial<Record<SegmentOperator, DocumentShape | null>>

/** The facts that Beckon knows by itself, with their operators: of the device, and from `last_seen` on of its person. */
export const SEGMENT_FACTS = {
  platform: OF_TEXT,
  language: OF_TEXT,
  time_zone: OF_TEXT,
  browser: OF_TEXT,
  app_version: OF_TEXT,
  last_seen: OF_INSTANT,
  created_at: OF_INSTANT,
  ltv: OF_NUMBER,
} as const satisfies Record<string, DocumentOperators>

export type SegmentFact = keyof typeof SEGMENT_FACTS

/** The names of a person that a condition on attributes finds too, as callers spell them. */
export const PERSON_NAMES = {
  email: 'email',
  mobile: 'mobile',
  userID: 'user_id',
  user_id: 'user_id',
} as const
export type PersonName = (typeof PERSON_NAMES)[keyof typeof PERSON_NAMES]

/** How an event's count is compared. */
export const SEGMENT_COUNTS = ['eq', 'gt', 'gte', 'lt', 'lte'] as const
export type SegmentCount = (typeof SEGMENT_COUNTS)[number]

/** Conditions that an event's own attributes must all meet. */
export const EVENT_WHERE = {
  use: 'nullable',
  shape: {
    type: 'list',
    of: { type: 'named', name: 'AttributeCondition' },
    noun: 'conditions on attributes',
    itemsMin: 0,
    itemsMax: SEGMENT_LIMITS.whereMax,
  },
  meaning: 'Only events whose attributes meet all of these conditions.',
} as const satisfies DocumentKey

export const EVENT_NAME = { type: 'text', charsMin: 1, charsMax: SEGMENT_LIMITS.eventCharsMax } as const

const FILTER = { type: 'named', name: 'SegmentFilter' } as const
const FILTERS = { type: 'list', of: FILTER, noun: 'filters', itemsMin: 1, itemsMax: null } as const

/** The forms of a filter, one for each condition. A filter has exactly one of these keys. */
export const SEGMENT_CONDITIONS = {
  all: { meaning: 'Every filter of the list holds.', shape: FILTERS },
  any: { meaning: 'At least one filter of the list holds.', shape: FILTERS },
  not: { meaning: 'The filter does not hold.', shape: FILTER },
  tag: {
    meaning: 'The subscription or its person carries the tag.',
    shape: { type: 'text', charsMin: 1, charsMax: SEGMENT_LIMITS.tagCharsMax },
  },
  users: {
    meaning: 'The person is one of the users with these ids.',
    shape: {
      type: 'list',
      of: { type: 'text', charsMin: 1, charsMax: SEGMENT_LIMITS.userCharsMax },
      noun: 'user ids',
      itemsMin: 0,
      itemsMax: SEGMENT_LIMITS.usersMax,
    },
  },
  attribute: {
    meaning: 'The attribute of this name compares as asked.',
    shape: { type: 'text', charsMin: 1, charsMax: SEGMENT_LIMITS.attributeCharsMax },
    compares: { '*': SEGMENT_OPERATORS },
  },
  event: {
    meaning: 'The person did the event of this name as often as asked.',
    shape: EVENT_NAME,
    beside: {
      count: {
        use: 'optional',
        shape: { type: 'bound', words: SEGMENT_COUNTS, max: SEGMENT_LIMITS.countMax },
        meaning: 'How often the person did it; at least once when absent.',
      },
      within_days: { use: 'optional', shape: DAYS, meaning: 'Only events of the last so many days.' },
      where: EVENT_WHERE,
    },
  },
  field: {
    meaning: 'A fact that Beckon knows by itself compares as asked.',
    shape: { type: 'word', words: Object.keys(SEGMENT_FACTS) },
    compares: SEGMENT_FACTS,
  },
  segment: {
    meaning: 'The filter of the segment with this id holds.',
    shape: { type: 'int64', of: 'a segment' },
  },
} as const satisfies DocumentForms

export type SegmentCondition = keyof typeof SEGMENT_CONDITIONS

export const SEGMENT_DOCUMENTS = {
  SegmentFilter: {
    kind: 'filter',
    description: 'The people and devices that belong to a segment, as a tree of conditions.',
    shape: { type: 'forms', forms: SEGMENT_CONDITIONS },
    limits: { nodesMax: SEGMENT_LIMITS.nodesMax, depthMax: SEGMENT_LIMITS.depthMax },
  },
  AttributeCondition: {
    kind: 'filter',
    description: 'A condition on one attribute of an event.',
    shape: { type: 'forms', forms: { attribute: SEGMENT_CONDITIONS.attribute } },
  },
} as const satisfies DocumentRows

/** The bodies that make, change and preview a segment. */
export const SEGMENT_FIELDS = {
  name: {
    name: 'name',
    shape: { type: 'text', charsMax: SEGMENT_LIMITS.nameCharsMax },
    description: 'The name of the segment.',
  },
  filter: {
    name: 'filter',
    shape: { type: 'object', document: 'SegmentFilter' },
    description: 'The conditions that a member of the segment meets.',
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
