import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TooManyDropped } from '../../src/intake/event-files/too-many-dropped.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { DuckDbError } from '../../src/runtime/duckdb/duckdb-error.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { anyEvents, needing } from '../../src/store/event-needs.ts'
import { STATEMENT_TIMEOUT_MS } from '../../src/store/session-settings.ts'
import { freshDatabase, type TestBrand } from '../support/database/database.ts'
import { openFilesWith, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

type Trouble = DuckDbError['trouble']

/** Fails as if each statement were too large, and notes the time that each may take. */
class LimitedDuckDb extends DuckDbProcess {
  trouble: Trouble | null = null
  /** A part of people fits into the memory if it is one of so many, or of more. */
  partsMin = 1
  /** Runs in place of each statement. */
  instead: string | null = null
  /** Runs before each statement. */
  onRun: (() => Promise<void>) | null = null
  times: number[] = []

  override async run(
    ...[statement, options]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    this.times.push(options.timeoutMs)
    await this.onRun?.()
    if (this.trouble !== null) throw new DuckDbError(this.trouble, 'too large')
    const [, parts = 1] = /hash\(profile_id\) % (\d+)/.exec(statement.sql) ?? []
    if (Number(parts) < this.partsMin) throw new DuckDbError('memory', 'too large')
    return super.run(this.instead === null ? statement : { sql: this.instead }, options)
  }
}

const { url, database, brand, drop } = await freshDatabase()
const opened = await openFilesWith((plan) => new LimitedDuckDb(plan))
const { eventFiles } = opened
const { duckdb } = eventFiles
const frozen = await openFrozen({ url, database }, opened)
const cold = frozen.openCold()
const server = await startServer({ deps: { eventFiles, database: cold } })
/** Brings events for a second at most. */
const hasty = frozen.openCold({ bringMsMax: 1_000 })
const hastyServer = await startServer({ deps: { eventFiles, database: hasty } })
/** Brings five events at most. */
const narrow = frozen.openCold({ bringMax: 5 })
const narrowServer = await startServer({ deps: { eventFiles, database: narrow } })
after(async () => {
  for (const each of [narrowServer, narrow, hastyServer, hasty, server, cold, frozen]) await each.close()
  await drop()
})

const SPAN = { from: '2026-01-01', to: new Date().toISOString() }

const QUESTIONS = [
  { what: 'a question', path: '/api/v1/events/query', body: SPAN },
  {
    what: 'a percentile',
    path: '/api/v1/events/query',
    body: { ...SPAN, measure: 'percentile', percentile: 50 },
  },
  { what: 'a funnel', path: '/api/v1/events/funnel', body: { ...SPAN, steps: ['see', 'buy'], within: 60 } },
  { what: 'statistics', path: `/api/v1/events/stats?by=day&from=${SPAN.from}` },
] as const

async function brandWithFiles(): Promise<TestBrand> {
  const one = await brand()
  const events = Array.from({ length: 30 }, (_, place) => rawEvent(place, { attributes: '{"sku": "A"}' }))
  await frozen.store(one.brandId, events)
  await frozen.round()
  return one
}

for (const { what, path, ...others } of QUESTIONS) {
  const ask = async (one: TestBrand, trouble: Trouble | null): Promise<Answer> => {
    duckdb.times = []
    duckdb.trouble = trouble
    const answer = await call(server.port, { path, headers: keyHeaders(one), ...others })
    duckdb.trouble = null
    return answer
  }

  test(`422 at once to ${what} that is too large for files whose events have no rows`, async () => {
    const one = await brandWithFiles()
    await frozen.drop()
    for (const trouble of ['late', 'memory'] as const) {
      const { status, body } = await ask(one, trouble)
      assert.deepEqual([status, body['code']], [422, 'takes_too_long'])
      assert.equal(duckdb.times.length, 1, 'no event is brought')
    }
    const askedAt = performance.now()
    const answered = await ask(one, null)
    const tookMs = performance.now() - askedAt
    assert.equal(answered.status, 200, answered.text)
    const [ms = 0] = duckdb.times
    assert.ok(ms >= STATEMENT_TIMEOUT_MS - tookMs, `${ms} ms are all that is left of the question's time`)
    assert.ok(ms <= STATEMENT_TIMEOUT_MS)
  })

  test(`200 to ${what} from rows, if files that are not the only copy take too long`, async () => {
    const one = await brandWithFiles()
    const answered = await ask(one, 'late')
    assert.equal(answered.status, 200, answered.text)
    assert.deepEqual(duckdb.times, [EVENT_FILE_LIMITS.questionMsMax])
  })
}

const ENDLESS = 'select sum(a.range * b.range)::varchar from range(1000000) as a, range(1000000) as b'

async function previewAt({ port }: Pick<typeof server, 'port'>, one: TestBrand): Promise<Answer> {
  const body = { filter: { event: 'see', within_days: 365 } }
  return call(port, { path: '/api/v1/segments/preview', headers: keyHeaders(one), body })
}

test('503 to a call whose events wait for the turn of DuckDB until their time is over', async () => {
  const one = await brandWithFiles()
  await frozen.drop()
  const other = new AbortController()
  const turn = Promise.withResolvers<void>()
  const options = { timeoutMs: 3_600_000, rowsMax: 1, signal: other.signal, onTurn: turn.resolve }
  const busy = duckdb.run({ sql: ENDLESS }, options).catch(() => null)
  await turn.promise
  const { status, body } = await previewAt(hastyServer, one)
  other.abort()
  await busy
  assert.deepEqual([status, body['code']], [503, 'overloaded'])
})

test('422 to a call whose events take all of their time themselves', async () => {
  const one = await brandWithFiles()
  await frozen.drop()
  duckdb.instead = ENDLESS
  const { status, text } = await previewAt(hastyServer, one)
  duckdb.instead = null
  assert.equal(status, 422, text)
  assert.match(text, /too_many_old_events/)
  assert.match(text, /needs up to 30 events/)
})

test('422 at once to a question about people whose events are too many: they are counted once', async () => {
  const one = await brandWithFiles()
  await frozen.drop()
  duckdb.times = []
  const body = { ...SPAN, people: { event: 'see', within_days: 365 } }
  const asked = { path: '/api/v1/events/query', headers: keyHeaders(one), body }
  const { status, text } = await call(narrowServer.port, asked)
  assert.equal(status, 422, text)
  assert.match(text, /too_many_old_events/)
  assert.equal(duckdb.times.length, 1)
})

test('a transaction may be idle for longer than others while it brings events, and no longer after that', async () => {
  const { brandId } = await brandWithFiles()
  await frozen.drop()
  const [before, during, later] = await cold.asEngine(async (tx) => {
    const idleMs = async (): Promise<number> => {
      const sql = `select setting::integer as ms from pg_settings where name = 'idle_in_transaction_session_timeout'`
      return (await tx.query<{ ms: number }>(sql)).rows[0]?.ms ?? 0
    }
    const first = await idleMs()
    const brought = Promise.withResolvers<number>()
    duckdb.onRun = async () => idleMs().then(brought.resolve, brought.reject)
    await tx.query('select from events where brand_id = $1', needing([brandId], anyEvents(brandId)))
    duckdb.onRun = null
    return [first, await brought.promise, await idleMs()]
  })
  assert.ok(during > 2 * EVENT_FILE_LIMITS.thawMsMax, `${during} ms`)
  assert.ok(before > 0 && before < during)
  assert.equal(later, before)
})

test('some events of each person are read for fewer people at a time, if they do not fit into the memory', async () => {
  const { brandId } = await brandWithFiles()
  await frozen.drop()
  const need = { ...anyEvents(brandId), pick: { kind: 'each', limit: 1 }, isBare: true } as const
  const read = async (partsMin: number): Promise<readonly bigint[]> => {
    duckdb.partsMin = partsMin
    const sql = 'select id from events where brand_id = $1 order by id'
    return (
      await cold.query<{ id: bigint }>(sql, needing([brandId], need)).finally(() => {
        duckdb.partsMin = 1
      })
    ).rows.map(({ id }) => id)
  }
  const whole = await read(1)
  assert.ok(whole.length >= 14, 'of each person and name')
  assert.deepEqual(await read(4), whole)
  await assert.rejects(read(Number.POSITIVE_INFINITY), TooManyDropped)
})
