import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { arrangeFunnel } from '../../src/domain/events/funnel-answer.ts'
import { arrangeCells } from '../../src/domain/events/query-answer.ts'
import { querySpans, spansBefore } from '../../src/domain/events/query-spans.ts'
import { WEEK_MS } from '../../src/domain/events/week.ts'
import type { AttributeCondition } from '../../src/domain/segments/segment.ts'
import { measureFiles } from '../../src/intake/events/measure.ts'
import { askStats, statsOfFiles } from '../../src/intake/events/stats.ts'
import { askFunnel, askPaths, askRetention } from '../../src/intake/events/walks.ts'
import type { EventMeasure } from '../../src/rules/event-queries.ts'
import { loadFunnel } from '../../src/store/events/funnel.ts'
import { type EventQuestion, measureEvents } from '../../src/store/events/measuring.ts'
import type { EventPart } from '../../src/store/events/parts.ts'
import { loadPaths } from '../../src/store/events/paths.ts'
import { loadRetention } from '../../src/store/events/retention.ts'
import { loadStats } from '../../src/store/events/stats.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DAY_MS, OLD_WEEK, openFrozen, type RawEvent, rawEvent } from '../support/events/frozen.ts'
import { atLength } from '../support/length.ts'
import { ATTRIBUTE_CONDITION } from '../support/segments/segments.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
const deps = { database, eventFiles: frozen.eventFiles }
const watch = { signal: new AbortController().signal, tell: null }
after(async () => {
  await frozen.close()
  await drop()
})

/** Values that DuckDB and PostgreSQL both hold exactly, in several spellings. */
const VALUE = fc.constantFrom(
  '"a"',
  '"ab"',
  '"😀a"',
  '""',
  '"100"',
  String.raw`"x\n\"y\", \u0001z"`,
  '0',
  '1',
  '1.0',
  '2.50',
  '2.5',
  '-1',
  '9007199254740993',
  'true',
  'false',
  'null',
)

const NAMES = ['buy', 'see', 'go'] as const

type Drawn = {
  readonly week: number
  readonly offsetMs: number
  readonly person: number
  readonly name: string
  readonly a: string | null
  readonly b: string | null
  readonly source: string | null
  readonly ltv: string
}

/** Weeks 0 and 1 have ended and are frozen; week 3 is that of now. */
const DRAWN: fc.Arbitrary<Drawn> = fc.record({
  week: fc.constantFrom(0, 0, 1, 3),
  offsetMs: fc.integer({ min: 0, max: 2 * DAY_MS }).map((ms) => ms - (ms % 1_800_000)),
  person: fc.integer({ min: 1, max: 6 }),
  name: fc.constantFrom(...NAMES),
  a: fc.option(VALUE),
  b: fc.option(VALUE),
  source: fc.option(fc.constantFrom('"web"', '"app"', '7', '{"deep": "er"}')),
  ltv: fc.constantFrom('10', '0.1', '-3', '999999999999.123456789'),
})

function rawOf({ week, offsetMs, person, name, a, b, source, ltv }: Drawn, place: number): RawEvent {
  const receivedAt = Math.min(OLD_WEEK.startsAt + week * WEEK_MS + offsetMs, Date.now())
  const attributes = [
    ...(a === null ? [] : [`"a": ${a}`]),
    ...(b === null ? [] : [`"b'; --": ${b}`]),
    // A number with more digits than a double has keeps all attributes of the event in JSON.
    ...(place % 9 === 0 ? ['"wide": 0.12345678901234567890'] : []),
  ]
  return {
    receivedAt,
    place,
    profileId: person,
    name,
    // Some events happened days before they were received.
    at: receivedAt - (place % 5 === 0 ? 9 * DAY_MS : 0),
    ltv,
    attributes: `{${attributes.join(', ')}}`,
    context: source === null ? null : `{"utm": {"source": ${source}}}`,
  }
}

/**
 * Stores events, freezes their weeks, and then merges two people and erases a third, in rows that are in files. Two more are being
 * erased: one since before the files were written.
 */
async function stored(drawn: readonly Drawn[]): Promise<number> {
  const { brandId } = await brand()
  await frozen.store(brandId, drawn.map(rawOf))
  await database.query(
    `insert into profiles (brand_id, id, attributes, created_at, updated_at)
     select $1, id, attributes::jsonb, now(), now()
     from unnest('{1, 2, 4}'::bigint[], array['{"a": 1}', '{"a": "ab"}', '{"b": true}']) as p (id, attributes)`,
    [brandId],
  )
  await beginErasure(brandId, 6)
  await frozen.round()
  await beginErasure(brandId, 5)
  await database.query('update events set profile_id = 1 where brand_id = $1 and profile_id = 2', [brandId])
  await database.query('delete from events where brand_id = $1 and profile_id = 3', [brandId])
  return brandId
}

async function beginErasure(brandId: number, profileId: number): Promise<void> {
  await database.query(
    `insert into erasures (brand_id, profile_id, asked_at, identifiers, subscription_ids, subscription_names)
     values ($1, $2, now(), '{}', '{}', '{}')`,
    [brandId, profileId],
  )
}

const ZONE = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York')
const EVENTS = fc.array(DRAWN, { minLength: 20, maxLength: 60 })

const PART = fc.constantFrom<EventPart>(
  { kind: 'event' },
  { kind: 'attribute', name: 'a' },
  { kind: 'attribute', name: "b'; --" },
  { kind: 'attribute', name: 'nobody has it' },
  { kind: 'person', name: 'a' },
)

type Asked = {
  readonly measure: EventMeasure
  readonly attribute: string | null
  readonly eventName: string | null
  readonly where: readonly AttributeCondition[]
  readonly people: AttributeCondition | null
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
  parts: fc.array(PART, { maxLength: 3 }),
  groupsMax: fc.constantFrom(2, 50),
  every: fc.constantFrom('hour', 'day', 'week', null),
  zone: ZONE,
  days: fc.constantFrom(12, 38),
  hasBefore: fc.boolean(),
})

function questionOf(brandId: number, { every, zone, days, hasBefore, ...asked }: Asked): EventQuestion {
  const now = Date.now()
  const present = querySpans({ every, zone, fromAt: now - days * DAY_MS, toAt: now + 1 })
  const before = hasBefore ? spansBefore(zone, present).slice(0, -1) : []
  const edges = [...before, ...present]
  return {
    ...asked,
    brandId,
    percentile: 0.5,
    edges,
    spansBefore: before.length,
    fromAt: edges[0] ?? 0,
    toAt: edges.at(-1) ?? 0,
    now,
    cuts: null,
  }
}

/** Means are quotients, and may differ in the last digit. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) => {
      if (typeof part === 'bigint') return String(part)
      return typeof part === 'number' ? Number(part.toPrecision(12)) : part
    }),
  )
}

test('a question of files and rows together has the answer of rows alone', async () => {
  let answered = 0
  await fc.assert(
    fc.asyncProperty(EVENTS, fc.array(ASKED, { minLength: 15, maxLength: 15 }), async (drawn, wanted) => {
      const brandId = await stored(drawn)
      for (const asked of wanted) {
        const question = questionOf(brandId, asked)
        const found = await measureFiles(deps, { ...watch, question })
        if (found === null) continue
        answered += 1
        const rows = await measureEvents(database.reader, question)
        const shape = {
          spans: question.edges.length - 1 - question.spansBefore,
          hasBefore: asked.hasBefore,
          none: asked.measure === 'average' || asked.measure === 'percentile' ? null : 0,
        } as const
        assert.deepEqual(rounded(arrangeCells(found, shape)), rounded(arrangeCells(rows, shape)))
      }
    }),
    { numRuns: atLength(36) },
  )
  assert.ok(answered > 60, `only ${answered} questions were answered from files: ${frozen.lines.join('')}`)
})

test('a group that is an object, and a number of many digits, are asked of rows', async () => {
  const { brandId } = await brand()
  const asked = {
    measure: 'count',
    eventName: null,
    where: [],
    groupsMax: 9,
    every: null,
    zone: 'UTC',
  } as const
  const question = questionOf(brandId, {
    ...asked,
    people: null,
    attribute: null,
    parts: [],
    days: 38,
    hasBefore: false,
  })
  const place = { week: 0, offsetMs: 0, person: 1, name: 'buy', b: null, source: null, ltv: '1' }
  const odd = [String.raw`{"x": 1}`, '12345678901234567890']
  await frozen.store(
    brandId,
    odd.map((value, at) => rawOf({ ...place, a: value }, at + 1)),
  )
  await frozen.round()
  const measured = async (parts: readonly EventPart[]) =>
    measureFiles(deps, { ...watch, question: { ...question, parts } })
  assert.deepEqual(
    (await measured([]))?.map(({ value }) => value),
    [2, 2],
  )
  assert.equal(await measured([{ kind: 'attribute', name: 'a' }]), null)
  assert.match(frozen.lines.join(''), /no plain value/)
})

test('funnels, retentions and paths of files and rows together are those of rows alone', async () => {
  frozen.lines.length = 0
  let asks = 0
  const walk = fc.record({
    steps: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
    excluded: fc.constantFrom([], ['go']),
    parts: fc.array(PART, { maxLength: 2 }),
    withinMs: fc.constantFrom(3_600_000, DAY_MS, 20 * DAY_MS),
    days: fc.constantFrom(12, 38),
    zone: ZONE,
    unit: fc.constantFrom('day', 'week'),
    startEvent: fc.constantFrom('buy', null),
    depth: fc.constantFrom(1, 3),
  })
  await fc.assert(
    fc.asyncProperty(EVENTS, fc.array(walk, { minLength: 8, maxLength: 8 }), async (drawn, wanted) => {
      const brandId = await stored(drawn)
      const today = new Date().toISOString().slice(0, 10)
      for (const { days, zone, unit, startEvent, depth, ...asked } of wanted) {
        asks += 3
        const range = { brandId, fromAt: Date.now() - days * DAY_MS, toAt: Date.now() - DAY_MS }
        const funnel = { ...range, ...asked, groupsMax: 2 }
        const steps = asked.steps.length
        const [cells, rowCells] = [
          await askFunnel(deps, funnel, watch),
          await database.asBrand(brandId, async (tx) => loadFunnel(tx, funnel)),
        ]
        assert.deepEqual(rounded(arrangeFunnel(cells, steps)), rounded(arrangeFunnel(rowCells, steps)))
        const retention = {
          ...range,
          startEvent,
          returnEvent: 'see',
          unit,
          periods: 4,
          timeZone: zone,
          division: asked.parts.length === 0 ? null : { parts: asked.parts, groupsMax: 2, today },
        } as const
        assert.deepEqual(
          await askRetention(deps, retention, watch),
          await database.asBrand(brandId, async (tx) => loadRetention(tx, retention)),
        )
        const paths = { ...range, startEvent: 'buy', depth, withinMs: asked.withinMs, pathsMax: 3 }
        assert.deepEqual(
          await askPaths(deps, paths, watch),
          await database.asBrand(brandId, async (tx) => loadPaths(tx, paths)),
        )
      }
    }),
    { numRuns: atLength(24) },
  )
  assert.ok(frozen.lines.length < asks / 6, `too many fell back to their rows: ${frozen.lines.join('')}`)
})

const FILTERED = fc.constantFrom(
  null,
  { name: 'a', equals: null },
  ...['"ab"', '1.0', 'true', '"100"', 'null', '{"x": 1}'].map((equals) => ({ name: 'a', equals })),
)

const COUNTED = fc.record({
  by: fc.constantFrom('hour', 'day', 'name', 'attribute'),
  timeZone: ZONE,
  attribute: fc.constantFrom('a', "b'; --", 'nobody has it'),
  limit: fc.constantFrom(3, 100),
  eventName: fc.constantFrom('buy', null),
  filtered: FILTERED,
  days: fc.constantFrom(12, 38),
})

test('statistics of files and rows together are those of rows alone', async () => {
  let answered = 0
  await fc.assert(
    fc.asyncProperty(EVENTS, fc.array(COUNTED, { minLength: 15, maxLength: 15 }), async (drawn, wanted) => {
      const brandId = await stored(drawn)
      for (const { eventName, filtered, days, ...asked } of wanted) {
        const range = { fromAt: Date.now() - days * DAY_MS, toAt: Date.now() - DAY_MS }
        const filter = { brandId, userId: null, eventName, ...range, attribute: filtered }
        const found = await statsOfFiles(deps, { ...asked, filter }, watch)
        if (found === null) continue
        answered += 1
        assert.deepEqual(found, await loadStats(database.reader, { ...asked, filter }))
      }
    }),
    { numRuns: atLength(24) },
  )
  assert.ok(answered > 15, `only ${answered} were answered from files: ${frozen.lines.join('')}`)
})

test('days and weeks before 1970 are those of rows, also where a zone has a name', async () => {
  const { brandId } = await brand()
  const times = [
    '1969-12-20T23:30:00Z',
    '1969-12-28T23:30:00Z',
    '1969-12-31T22:59:59Z',
    '1970-01-01T00:10:00Z',
  ]
  const events = times.map((at, place) => rawEvent(place, { at: Date.parse(at), profileId: 1, name: 'buy' }))
  await frozen.store(brandId, events)
  await frozen.round()
  frozen.lines.length = 0
  const range = { brandId, fromAt: Date.parse('1969-12-01'), toAt: Date.parse('1970-02-01') }
  for (const timeZone of ['Europe/Berlin', 'America/New_York', '+05:45']) {
    const filter = { ...range, userId: null, eventName: null, attribute: null }
    for (const by of ['hour', 'day'] as const) {
      const query = { filter, by, timeZone, attribute: '', limit: 100 }
      const found = await statsOfFiles(deps, query, watch)
      assert.deepEqual(found, await loadStats(database.reader, query))
    }
    for (const unit of ['day', 'week'] as const) {
      const query = {
        ...range,
        startEvent: 'buy',
        returnEvent: 'buy',
        unit,
        periods: 20,
        timeZone,
        division: null,
      }
      const rows = await database.asBrand(brandId, async (tx) => loadRetention(tx, query))
      assert.deepEqual(await askRetention(deps, query, watch), rows)
    }
  }
  assert.deepEqual(frozen.lines, [])
})

test('a time with more changes of a zone than a statement takes is asked of rows', async () => {
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1)])
  await frozen.round()
  const range = { brandId, fromAt: 0, toAt: Date.parse('9999-12-31') }
  const filter = { ...range, userId: null, eventName: null, attribute: null }
  const query = { filter, by: 'day', timeZone: 'Europe/Berlin', attribute: '', limit: 100 } as const
  assert.equal(await statsOfFiles(deps, query, watch), null)
  assert.equal((await askStats(deps, query, watch)).length, 1)
})
