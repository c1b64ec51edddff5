import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { arrangeCells, type MeasuredCell, type MeasuredLine } from '../../src/domain/events/query-answer.ts'
import { firstIdAt } from '../../src/domain/events/week.ts'
import { compareAttribute } from '../../src/domain/segments/comparison.ts'
import type { AttributeCondition } from '../../src/domain/segments/segment.ts'
import { encodeJson } from '../../src/domain/values/json.ts'
import { type EventQuestion, measureEvents } from '../../src/store/events/measuring.ts'
import type { EventPart } from '../../src/store/events/parts.ts'
import { freshDatabase } from '../support/database/database.ts'
import { checkOnRandomPeople, DAY_MS, groupText } from '../support/people/random-people.ts'
import { ATTRIBUTE_CONDITION, NOW, type Person } from '../support/segments/segments.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

type Asked = {
  readonly measure: 'count' | 'people'
  readonly eventName: string | null
  readonly where: readonly AttributeCondition[]
  readonly people: AttributeCondition | null
  readonly parts: readonly EventPart[]
  readonly spans: number
  readonly spansBefore: number
}

const PART = fc.constantFrom<EventPart>(
  { kind: 'event' },
  { kind: 'attribute', name: 'a' },
  { kind: 'person', name: 'a' },
  { kind: 'context', path: ['utm', 'source'] },
)

const ASKED: fc.Arbitrary<Asked> = fc.record(
  {
    measure: fc.constantFrom('count', 'people'),
    eventName: fc.constantFrom('buy', null),
    where: fc.array(ATTRIBUTE_CONDITION, { maxLength: 1 }),
    people: fc.option(ATTRIBUTE_CONDITION),
    parts: fc.array(PART, { maxLength: 3 }),
    spans: fc.constantFrom(1, 3, 6),
    spansBefore: fc.constantFrom(0, 2),
  },
  { noNullPrototype: true },
)

test('SQL measures as whoever looks at each event by hand', async () => {
  await checkOnRandomPeople({ database, brand }, ASKED, async ({ brandId, people }, asked) => {
    const question = questionOf(brandId, asked)
    const cells = await measureEvents(database.reader, question)
    const inParts = await measureEvents(database.reader, { ...question, cuts: CUTS })
    assert.deepEqual(sorted(inParts), sorted(cells))
    const shape = { spans: asked.spans, hasBefore: asked.spansBefore > 0, none: 0 } as const
    const { total, groups, rest } = arrangeCells(cells, { ...shape, spans: asked.spans })
    const found = new Map(groups.map(({ key, ...line }) => [groupText(key), line]))
    assert.equal(groups.length, found.size)
    assert.deepEqual({ total, rest, groups: found }, lookedAt(people, question))
  })
})

/** As many spans before as there are now, each of a day, and the last one with the present moment in it. */
function questionOf(brandId: number, asked: Asked): EventQuestion {
  const spansBefore = asked.spansBefore > 0 ? asked.spans : 0
  const count = asked.spans + spansBefore
  const edges = Array.from({ length: count + 1 }, (_, place) => NOW + 1 - (count - place) * DAY_MS)
  return {
    ...asked,
    brandId,
    attribute: null,
    percentile: 0,
    groupsMax: 1_000,
    edges,
    spansBefore,
    fromAt: edges[0] ?? 0,
    toAt: edges.at(-1) ?? 0,
    now: NOW,
    cuts: null,
  }
}

/** The events are received while the test runs; the first cut is before all of them, and the last after. */
const CUTS = [-7, 0, 7].map((days) => firstIdAt(Date.now() + days * DAY_MS))

function sorted(cells: readonly MeasuredCell[]): readonly string[] {
  return cells.map((cell) => encodeJson(cell)).toSorted()
}

type Doing = { readonly who: number; readonly span: number; readonly key: readonly unknown[] }

function lookedAt(people: readonly Person[], question: EventQuestion) {
  const doings = people.flatMap((person, who) =>
    doingsOf(person, question).map((doing) => ({ ...doing, who })),
  )
  const present = new Set(
    doings.filter(({ span }) => span > question.spansBefore).map(({ key }) => groupText(key)),
  )
  const keyed = question.parts.length === 0 ? [] : doings
  // All groups are shown, so the rest is what nobody did in the present period.
  const gone = keyed.filter(({ key }) => !present.has(groupText(key)))
  const shown = Map.groupBy(
    keyed.filter((doing) => !gone.includes(doing)),
    ({ key }) => groupText(key),
  )
  return {
    total: lineOf(doings, question),
    rest: gone.length === 0 ? null : { ...lineOf(gone, question), groups: 0 },
    groups: new Map([...shown].map(([key, own]) => [key, lineOf(own, question)])),
  }
}

function doingsOf(person: Person, question: EventQuestion): readonly Omit<Doing, 'who'>[] {
  const { people, eventName, where, edges, parts, now } = question
  if (people?.kind === 'attribute' && !compareAttribute(people, person.attributes, now)) return []
  return person.events
    .filter(({ name, at }) => (eventName === null || name === eventName) && at < (edges.at(-1) ?? 0))
    .filter(({ attributes }) => where.every((condition) => compareAttribute(condition, attributes, now)))
    .map(({ name, at, attributes }) => ({
      span: edges.filter((edge) => edge <= at).length,
      key: parts.map((part) => {
        if (part.kind === 'event') return name
        if (part.kind === 'context') return null
        return (part.kind === 'attribute' ? attributes : person.attributes)['a'] ?? null
      }),
    }))
    .filter(({ span }) => span > 0)
}

function lineOf(doings: readonly Doing[], { measure, edges, spansBefore }: EventQuestion): MeasuredLine {
  const count = (own: readonly Doing[]): number =>
    measure === 'count' ? own.length : new Set(own.map(({ who }) => who)).size
  const partOf = (first: number, length: number) => ({
    value: count(doings.filter(({ span }) => span >= first && span < first + length)),
    values: Array.from({ length }, (_, place) => count(doings.filter(({ span }) => span === first + place))),
  })
  const present = partOf(spansBefore + 1, edges.length - 1 - spansBefore)
  return { ...present, before: spansBefore === 0 ? null : partOf(1, spansBefore) }
}
