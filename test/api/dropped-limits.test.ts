import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { DuckDbError } from '../../src/runtime/duckdb/duckdb-error.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { STATEMENT_TIMEOUT_MS } from '../../src/store/session-settings.ts'
import { freshDatabase, type TestBrand } from '../support/database/database.ts'
import { openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

type Trouble = DuckDbError['trouble']

/** Fails as if each statement were too large, and notes the time that each may take. */
class LimitedDuckDb extends DuckDbProcess {
  trouble: Trouble | null = null
  times: number[] = []

  override async run(
    ...[statement, options]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    this.times.push(options.timeoutMs)
    if (this.trouble !== null) throw new DuckDbError(this.trouble, 'too large')
    return super.run(statement, options)
  }
}

const { url, database, brand, drop } = await freshDatabase()
const opened = await openFiles()
const { folder, scratch } = opened.eventFiles
const plan = { folder, scratch: scratch.folder, memoryMib: 512, threads: 2, access: 'read' } as const
const duckdb = new LimitedDuckDb({ ...plan, idleMs: 60_000 })
const eventFiles = { ...opened.eventFiles, duckdb }
const frozen = await openFrozen({ url, database }, { ...opened, eventFiles })
const cold = frozen.openCold()
const server = await startServer({ deps: { eventFiles, database: cold } })
after(async () => {
  await server.close()
  await cold.close()
  await frozen.close()
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
