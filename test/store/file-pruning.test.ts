import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WEEK_MS } from '../../src/domain/events/week.ts'
import { askStats } from '../../src/intake/events/stats.ts'
import type { Database } from '../../src/store/db.ts'
import { listEvents } from '../../src/store/events/list.ts'
import { openColdDatabase } from '../support/events/cold-database.ts'
import { filterOf } from '../support/events/event-answers.ts'
import { OLD_WEEK, openFilesWith, rawEvent } from '../support/events/frozen.ts'
import { NotingDuckDb } from '../support/events/noting-duckdb.ts'

const opened = await openFilesWith((plan) => new NotingDuckDb(plan))
const { eventFiles } = opened
const { duckdb } = eventFiles
const { brand, database, frozen, cold } = await openColdDatabase(opened)

const [FIRST, SECOND] = [OLD_WEEK.startsAt + 3_600_000, OLD_WEEK.startsAt + WEEK_MS + 3_600_000]
/** The instants of the two events of each week. */
const LATER_MS = 60_000

async function brandWithWeeks(): Promise<number> {
  const { brandId } = await brand()
  const events = [FIRST, SECOND].flatMap((receivedAt) => [
    rawEvent(0, { receivedAt, at: receivedAt }),
    rawEvent(1, { receivedAt, at: receivedAt + LATER_MS }),
  ])
  await frozen.store(
    brandId,
    events.map((event) => ({ ...event, attributes: '{}' })),
  )
  await frozen.round()
  return brandId
}

type Span = { readonly fromAt: number; readonly toAt: number }

/** `files`: how many weeks have events of the span. */
type Asking = { readonly span: Span; readonly events: number; readonly files: number }

const SPANS: readonly Asking[] = [
  { span: { fromAt: 0, toAt: SECOND + WEEK_MS }, events: 4, files: 2 },
  { span: { fromAt: 0, toAt: FIRST + 1 }, events: 1, files: 1 },
  { span: { fromAt: FIRST + LATER_MS, toAt: SECOND }, events: 1, files: 1 },
  { span: { fromAt: FIRST + LATER_MS, toAt: SECOND + 1 }, events: 2, files: 2 },
  { span: { fromAt: FIRST + LATER_MS + 1, toAt: SECOND + 1 }, events: 1, files: 1 },
  { span: { fromAt: SECOND + LATER_MS, toAt: SECOND + WEEK_MS }, events: 1, files: 1 },
]

const watch = { signal: new AbortController().signal, tell: null }

async function countByStats(of: Database, brandId: number, span: Span): Promise<number> {
  const filter = filterOf(brandId, span)
  const query = { filter, by: 'name', timeZone: 'UTC', attribute: '', limit: 10 } as const
  const rows = await askStats({ database: of, eventFiles }, query, watch)
  return rows.reduce((sum, { count }) => sum + Number(count), 0)
}

async function countByList(of: Database, brandId: number, span: Span): Promise<number> {
  const page = { before: null, limit: 100 }
  return (await of.asEngine(async (tx) => listEvents(tx, filterOf(brandId, span), page))).rows.length
}

type Asked = Span & { readonly count: typeof countByStats; readonly of: Database; readonly brandId: number }

async function filesOf({ count, of, brandId, ...span }: Asked): Promise<readonly number[]> {
  duckdb.paths.clear()
  return [await count(of, brandId, span), duckdb.paths.size]
}

test('a question reads the files that have events of its time, and no other', async () => {
  const brandId = await brandWithWeeks()
  for (const { span, events, files } of SPANS)
    assert.deepEqual(await filesOf({ count: countByStats, of: database, brandId, ...span }), [events, files])
  await frozen.drop()
  for (const { span, events, files } of SPANS)
    assert.deepEqual(await filesOf({ count: countByStats, of: cold, brandId, ...span }), [events, files])
})

test('a list of events without rows reads the files that have events of its time', async () => {
  const brandId = await brandWithWeeks()
  await frozen.drop()
  for (const { span, events, files } of SPANS)
    assert.deepEqual(await filesOf({ count: countByList, of: cold, brandId, ...span }), [events, files])
})
