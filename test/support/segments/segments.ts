import * as fc from 'fast-check'
import type { Comparison } from '../../../src/domain/segments/comparison.ts'
import type { Condition, Filter } from '../../../src/domain/segments/segment.ts'
import type { Scalar } from '../../../src/domain/values/checked.ts'
import { SEGMENT_COUNTS } from '../../../src/rules/segments.ts'
import { DATE_FORMS } from '../events/written-dates.ts'
import type { Member } from './match-filter.ts'

export const NOW = Date.parse('2026-03-01T12:00:00Z')
const DAY_MS = 86_400_000

/** Plain objects, as the code under test makes them. */
function record<Value>(model: { [Name in keyof Value]: fc.Arbitrary<Value[Name]> }): fc.Arbitrary<Value> {
  return fc.record<Value>(model, { noNullPrototype: true })
}

/** Few names and few values, so that random filters and random people meet. */
const NAME = fc.constantFrom('a', 'b', 'c', '😀')
const ATTRIBUTE = fc.constantFrom('a', "b'; --")
const EVENT = fc.constantFrom('buy', 'see')
const DATE = fc.constantFrom(...DATE_FORMS)
const TEXT = fc.constantFrom('a', 'ab', 'ba', '😀a', '', '100', '%')
const NUMBER = fc.constantFrom<number | bigint>(0, 1, 2, 2.5, -1, 1e21, 9007199254740993n)
const SCALAR: fc.Arbitrary<Scalar> = fc.oneof(TEXT, NUMBER, fc.boolean(), DATE)
/** What looks like a date and is none, and what is nothing to compare. */
const ODD = fc.constantFrom<unknown>(
  '2026-02-30',
  '2026-03-01T25:00:00Z',
  '2026-03-01T12:00,5Z',
  '2026-03-01 12:00',
  'today',
  { a: 1 },
  [{ a: 1 }],
  null,
)

const PRESENCE = record({
  kind: fc.constant('presence' as const),
  is: fc.constantFrom('exists' as const, 'missing' as const),
})
const TEXT_PART = record({
  kind: fc.constant('text' as const),
  is: fc.constantFrom('contains' as const, 'starts_with' as const),
  value: TEXT,
})
const DATED: fc.Arbitrary<Comparison> = fc.oneof(
  record({
    kind: fc.constant('date' as const),
    is: fc.constantFrom('before' as const, 'after' as const),
    date: DATE,
  }),
  record({ kind: fc.constant('recency' as const), days: fc.constantFrom(1, 3, 10) }),
)

function equality(value: fc.Arbitrary<Scalar>): fc.Arbitrary<Comparison> {
  return fc.oneof(
    record({
      kind: fc.constant('equality' as const),
      is: fc.constantFrom('eq' as const, 'ne' as const),
      value,
    }),
    record({
      kind: fc.constant('choice' as const),
      values: fc.array(value, { minLength: 1, maxLength: 3 }),
    }),
  )
}

const ORDER = record({
  kind: fc.constant('order' as const),
  is: fc.constantFrom('gt' as const, 'gte' as const, 'lt' as const, 'lte' as const),
  value: NUMBER,
})

export const ATTRIBUTE_CONDITION = record({
  kind: fc.constant('attribute' as const),
  attribute: ATTRIBUTE,
  comparison: fc.oneof<fc.Arbitrary<Comparison>[]>(PRESENCE, equality(SCALAR), ORDER, TEXT_PART, DATED),
})

/** What Beckon knows of a device itself. */
export const DEVICE_FACTS = ['platform', 'language', 'time_zone', 'browser', 'app_version'] as const

const FIELD_CONDITION: fc.Arbitrary<Condition> = fc.oneof(
  record({
    kind: fc.constant('field' as const),
    field: fc.constantFrom(...DEVICE_FACTS),
    comparison: fc.oneof<fc.Arbitrary<Comparison>[]>(
      PRESENCE,
      equality(fc.constantFrom('android', 'ios', 'en', 'de')),
      TEXT_PART,
    ),
  }),
  record({
    kind: fc.constant('field' as const),
    field: fc.constantFrom('last_seen' as const, 'created_at' as const),
    comparison: fc.oneof<fc.Arbitrary<Comparison>[]>(PRESENCE, DATED),
  }),
  record({
    kind: fc.constant('field' as const),
    field: fc.constant('ltv' as const),
    comparison: fc.oneof<fc.Arbitrary<Comparison>[]>(PRESENCE, equality(NUMBER), ORDER),
  }),
)

const EVENT_CONDITION = record({
  kind: fc.constant('event' as const),
  event: EVENT,
  count: record({ is: fc.constantFrom(...SEGMENT_COUNTS), value: fc.constantFrom(0, 1, 2) }),
  withinDays: fc.constantFrom(null, 1, 3),
  where: fc.array(ATTRIBUTE_CONDITION, { maxLength: 2 }),
})

export const FILTER: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter; group: Filter; leaf: Filter }>(
  (tie) => ({
    filter: fc.oneof({ depthSize: 'small', maxDepth: 4 }, tie('leaf'), tie('group')),
    leaf: fc.oneof(
      record({ kind: fc.constant('tag' as const), tag: NAME }),
      record({ kind: fc.constant('users' as const), userIds: fc.uniqueArray(NAME, { maxLength: 3 }) }),
      ATTRIBUTE_CONDITION,
      FIELD_CONDITION,
      EVENT_CONDITION,
    ),
    group: fc.oneof(
      record({
        kind: fc.constantFrom('all' as const, 'any' as const),
        of: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      }),
      record({ kind: fc.constant('not' as const), of: tie('filter') }),
    ),
  }),
).filter

/** The conditions that compare, alone: where a slip at a boundary would hide in a larger filter. */
export const COMPARISON_FILTER: fc.Arbitrary<Filter> = fc.oneof(
  ATTRIBUTE_CONDITION,
  FIELD_CONDITION,
  EVENT_CONDITION,
)

/** Those who did something and are as asked, which SQL finds by a way of its own; also turned round. */
const DOERS = record({
  kind: fc.constant('all' as const),
  of: fc.tuple(EVENT_CONDITION, fc.oneof(ATTRIBUTE_CONDITION, FILTER), FILTER),
})
export const DOERS_FILTER: fc.Arbitrary<Filter> = fc.oneof(
  DOERS,
  record({ kind: fc.constant('not' as const), of: DOERS }),
  record({ kind: fc.constant('any' as const), of: fc.tuple(DOERS, FILTER) }),
)

/** Several conditions that SQL each likes to begin with, at one level or hidden at another. */
const STARTER: fc.Arbitrary<Filter> = fc.oneof(
  record({ kind: fc.constant('tag' as const), tag: NAME }),
  EVENT_CONDITION,
  record({ kind: fc.constant('users' as const), userIds: fc.uniqueArray(NAME, { maxLength: 3 }) }),
)
export const STARTERS_FILTER: fc.Arbitrary<Filter> = record({
  kind: fc.constant('all' as const),
  of: fc.tuple(
    STARTER,
    record({
      kind: fc.constantFrom('all' as const, 'any' as const),
      of: fc.array(STARTER, { minLength: 1, maxLength: 3 }),
    }),
  ),
})

const TAGS = fc.uniqueArray(NAME, { maxLength: 3 })
const ATTRIBUTES = fc.dictionary(ATTRIBUTE, fc.oneof<fc.Arbitrary<unknown>[]>(SCALAR, ODD), {
  maxKeys: 2,
  noNullPrototype: true,
})
const EVENTS = fc.array(
  record({
    name: EVENT,
    at: fc.integer({ min: 0, max: 8 }).map((halves) => NOW - (halves * DAY_MS) / 2),
    attributes: ATTRIBUTES,
  }),
  { maxLength: 4 },
)
const FACT = fc.constantFrom(null, 'en', 'de', 'en-US')

/** A person with devices of every kind of luck: no name, several names, no device, some that are not live. */
export type Person = Omit<Member, 'facts'> & {
  readonly ltv: number
  readonly createdAt: number
  readonly devices: readonly (Readonly<Record<(typeof DEVICE_FACTS)[number], string | null>> & {
    readonly tags: readonly string[]
    readonly isLive: boolean
  })[]
}

export const PERSON: fc.Arbitrary<Person> = record({
  userIds: fc.uniqueArray(NAME, { maxLength: 2 }),
  tags: TAGS,
  attributes: ATTRIBUTES,
  events: EVENTS,
  ltv: fc.constantFrom(0, 1, 2.5, -1),
  createdAt: fc.constantFrom(NOW, NOW - DAY_MS, NOW - 5 * DAY_MS),
  devices: fc.array(
    record({
      tags: TAGS,
      isLive: fc.boolean(),
      platform: fc.constantFrom('android', 'ios'),
      language: FACT,
      time_zone: FACT,
      browser: FACT,
      app_version: FACT,
    }),
    { maxLength: 3 },
  ),
})

export const MEMBER: fc.Arbitrary<Member> = PERSON.map(({ userIds, tags, attributes, events, ltv }) => ({
  userIds,
  tags,
  attributes,
  events,
  facts: { platform: 'android', ltv },
}))
