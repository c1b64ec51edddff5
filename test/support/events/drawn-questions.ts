import * as fc from 'fast-check'
import { querySpans, spansBefore } from '../../../src/domain/events/query-spans.ts'
import type { AttributeCondition } from '../../../src/domain/segments/segment.ts'
import type { EventMeasure } from '../../../src/rules/event-queries.ts'
import type { EventQuestion } from '../../../src/store/events/measuring.ts'
import type { EventPart } from '../../../src/store/events/parts.ts'
import { ATTRIBUTE_CONDITION } from '../segments/segments.ts'
import { ZONE } from './drawn-events.ts'
import { DAY_MS } from './frozen.ts'

export const PART = fc.constantFrom<EventPart>(
  { kind: 'event' },
  { kind: 'attribute', name: 'a' },
  { kind: 'attribute', name: "b'; --" },
  { kind: 'attribute', name: 'nobody has it' },
  { kind: 'context', path: ['utm', 'source'] },
  { kind: 'context', path: ['page', 'url'] },
  { kind: 'person', name: 'a' },
)

export type Asked = {
  readonly measure: EventMeasure
  readonly attribute: string | null
  readonly eventName: string | null
  readonly where: readonly AttributeCondition[]
  readonly people: AttributeCondition | null
  readonly percentile: number
  readonly parts: readonly EventPart[]
  readonly groupsMax: number
  readonly every: 'hour' | 'day' | 'week' | null
  readonly zone: string
  readonly days: number
  readonly hasBefore: boolean
}

const ASKED: fc.Arbitrary<Asked> = fc.record({
  measure: fc.constantFrom('count', 'people', 'sum', 'average', 'percentile'),
  attribute: fc.constantFrom(null, 'a'),
  eventName: fc.constantFrom('buy', null),
  where: fc.array(ATTRIBUTE_CONDITION, { maxLength: 1 }),
  people: fc.option(ATTRIBUTE_CONDITION),
  percentile: fc.constantFrom(0.01, 0.5, 0.9, 0.99),
  parts: fc.array(PART, { maxLength: 3 }),
  groupsMax: fc.constantFrom(2, 50),
  every: fc.constantFrom('hour', 'day', 'week', null),
  zone: ZONE,
  days: fc.constantFrom(12, 38),
  hasBefore: fc.boolean(),
})

export function questionOf(
  brandId: number,
  { every, zone, days, hasBefore, ...asked }: Asked,
): EventQuestion {
  const now = Date.now()
  const present = querySpans({ every, zone, fromAt: now - days * DAY_MS, toAt: now + 1 })
  const before = hasBefore ? spansBefore(zone, present).slice(0, -1) : []
  const edges = [...before, ...present]
  return {
    ...asked,
    brandId,
    edges,
    spansBefore: before.length,
    fromAt: edges[0] ?? 0,
    toAt: edges.at(-1) ?? 0,
    now,
    cuts: null,
  }
}

/** People without groups, and percentiles, are counted by SQL of their own, so each run asks for some. */
export const QUESTIONS = fc
  .tuple(
    fc.array(ASKED, { minLength: 11, maxLength: 11 }),
    fc.array(ASKED, { minLength: 2, maxLength: 2 }),
    fc.array(ASKED, { minLength: 2, maxLength: 2 }),
    fc.array(ASKED, { minLength: 3, maxLength: 3 }),
  )
  .map(([any, plain, ranked, divided]) => [
    ...any,
    ...plain.map(ofPeople),
    ...ranked.map(ofPercentile),
    ...divided.map(ofPeopleInGroups),
  ])

function ofPercentile(asked: Asked): Asked {
  return { ...asked, measure: 'percentile', where: [] }
}

function ofPeople(asked: Asked): Asked {
  return { ...asked, measure: 'people', parts: [], people: null, where: [] }
}

/** Groups of events, of people, or of both; with a filter of people or without. */
function ofPeopleInGroups({ parts, ...asked }: Asked, place: number): Asked {
  const own: EventPart = { kind: 'person', name: 'a' }
  return {
    ...asked,
    measure: 'people',
    where: [],
    parts: place === 0 ? [own] : [...parts.slice(0, 2), { kind: 'event' }],
  }
}
