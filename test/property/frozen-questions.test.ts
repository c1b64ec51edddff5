import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { arrangeFunnel } from '../../src/domain/events/funnel-answer.ts'
import { arrangeCells } from '../../src/domain/events/query-answer.ts'
import { namesOf } from '../../src/domain/values/checked.ts'
import { measureFiles } from '../../src/intake/events/measure.ts'
import { askFunnel, askPaths, askRetention } from '../../src/intake/events/walks.ts'
import type { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { BASE_MIB } from '../../src/runtime/duckdb/memory.ts'
import { loadFunnel } from '../../src/store/events/funnel.ts'
import { measureEvents } from '../../src/store/events/measuring.ts'
import type { EventPart } from '../../src/store/events/parts.ts'
import { loadPaths } from '../../src/store/events/paths.ts'
import { loadRetention } from '../../src/store/events/retention.ts'
import { freshDatabase } from '../support/database/database.ts'
import { CrampedDuckDb } from '../support/events/cramped-duckdb.ts'
import { EVENTS, NAMES, rawOf, storeDrawn, ZONE } from '../support/events/drawn-events.ts'
import { type Asked, PART, QUESTIONS, questionOf } from '../support/events/drawn-questions.ts'
import { DAY_MS, openFrozen } from '../support/events/frozen.ts'
import { atLength } from '../support/length.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
const store = { database, brand, frozen }
const deps = { database, eventFiles: frozen.eventFiles }

function crampedDuckDb(saidMib: number): DuckDbProcess {
  const { folder, scratch } = frozen.eventFiles
  const options = { memoryMib: 512, threads: 2, access: 'read', idleMs: 60_000 } as const
  return new CrampedDuckDb({ ...options, folder, scratch: scratch.folder }, saidMib)
}

/** None: neither DuckDB's own percentile nor bits of people are used. Little: spans are counted some at a time, and many groups by lists. */
const DUCKDBS = {
  enough: frozen.eventFiles.duckdb,
  little: crampedDuckDb(BASE_MIB + 2),
  none: crampedDuckDb(BASE_MIB),
}
const watch = { signal: new AbortController().signal, tell: null }
after(async () => {
  await DUCKDBS.little.close()
  await DUCKDBS.none.close()
  await frozen.close()
  await drop()
})

const MEMORY = fc.constantFrom(...namesOf(DUCKDBS))

const FAR_PERSON =
  'insert into profiles (brand_id, id, created_at, updated_at) values ($1, 2::bigint ^ 40, now(), now())'

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
  let byContext = 0
  await fc.assert(
    fc.asyncProperty(EVENTS, QUESTIONS, MEMORY, async (drawn, wanted, memory) => {
      const brandId = await storeDrawn(store, drawn)
      // Where people have many ids, several processes of PostgreSQL look for them.
      if (memory === 'none') await database.query(FAR_PERSON, [brandId])
      const asker = { database, eventFiles: { ...frozen.eventFiles, duckdb: DUCKDBS[memory] } }
      for (const asked of wanted) {
        const question = questionOf(brandId, asked)
        const found = await measureFiles(asker, { ...watch, question })
        if (found === null) continue
        answered += 1
        if (asked.parts.some(({ kind }) => kind === 'context')) byContext += 1
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
  assert.doesNotMatch(frozen.lines.join(''), /Binder Error|Parser Error/)
  // About two in three of them are; the numbers only show that files are asked at all.
  assert.ok(answered > 30, `only ${answered} questions were answered from files: ${frozen.lines.join('')}`)
  assert.ok(byContext > 3, `only ${byContext} questions by context were answered from files`)
})

const PLAIN: Asked = {
  measure: 'count',
  eventName: null,
  where: [],
  groupsMax: 9,
  every: null,
  zone: 'UTC',
  people: null,
  attribute: null,
  percentile: 0.5,
  parts: [],
  days: 38,
  hasBefore: false,
}
const EVENT = { week: 0, offsetMs: 0, person: 1, name: 'buy', a: null, b: null, source: null, ltv: '1' }

test('everybody is counted once, whatever the id', async () => {
  const { brandId } = await brand()
  const ids = [1, 2, 32_767, 65_535, 65_536, 65_537, 131_071, 131_072, 1_000_000]
  const twice = [...ids, ...ids].map((person, at) => rawOf({ ...EVENT, person }, at + 1))
  await frozen.store(brandId, twice)
  await frozen.round()
  const question = questionOf(brandId, { ...PLAIN, measure: 'people' })
  const found = await measureFiles(deps, { ...watch, question })
  assert.deepEqual(
    found?.map(({ value }) => value),
    [ids.length, ids.length],
  )
})

test('somebody without an attribute counts once in each span, also beside the time before', async () => {
  const { brandId } = await brand()
  const days = [0, 10, 10, 11]
  const events = days.map((day, at) =>
    rawOf({ ...EVENT, person: 1 + (at % 2), offsetMs: day * DAY_MS }, at + 1),
  )
  await frozen.store(brandId, events)
  await frozen.round()
  const parts: readonly EventPart[] = [{ kind: 'person', name: 'plan' }]
  const question = questionOf(brandId, {
    ...PLAIN,
    measure: 'people',
    parts,
    days: 19,
    every: 'day',
    hasBefore: true,
  })
  const shape = { spans: question.edges.length - 1 - question.spansBefore, hasBefore: true, none: 0 } as const
  const found = await measureFiles(deps, { ...watch, question })
  assert.ok(found !== null)
  const rows = await measureEvents(database.reader, question)
  assert.deepEqual(arrangeCells(found, shape), arrangeCells(rows, shape))
})

test('a group that is an object, and a number of many digits, are asked of rows', async () => {
  const { brandId } = await brand()
  const question = questionOf(brandId, PLAIN)
  const odd = [String.raw`{"x": 1}`, '12345678901234567890']
  await frozen.store(
    brandId,
    odd.map((value, at) => rawOf({ ...EVENT, a: value }, at + 1)),
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

test('a step at the end of the time for a funnel counts, and one a millisecond later does not', async () => {
  frozen.lines.length = 0
  const { brandId } = await brand()
  const withinMs = 3_600_000
  const events = [
    { ...EVENT, person: 1, name: 'see' },
    { ...EVENT, person: 1, name: 'buy', offsetMs: withinMs },
    { ...EVENT, person: 2, name: 'see' },
    { ...EVENT, person: 2, name: 'buy', offsetMs: withinMs + 1 },
  ]
  await frozen.store(
    brandId,
    events.map((event, at) => rawOf(event, at + 1)),
  )
  await frozen.round()
  const range = { fromAt: Date.now() - 38 * DAY_MS, toAt: Date.now() }
  const funnel = { brandId, ...range, steps: ['see', 'buy'], excluded: [], withinMs, parts: [], groupsMax: 2 }
  const cells = await askFunnel(deps, funnel, watch)
  assert.deepEqual(
    cells.map(({ step, users }) => [step, users]),
    [
      [0, 2],
      [1, 1],
    ],
  )
  assert.deepEqual(frozen.lines, [])
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
      const brandId = await storeDrawn(store, drawn)
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
  assert.doesNotMatch(frozen.lines.join(''), /Binder Error|Parser Error/)
  assert.ok(frozen.lines.length < asks / 6, `too many fell back to their rows: ${frozen.lines.join('')}`)
})
