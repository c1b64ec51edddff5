import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { freshDatabase } from '../support/database/database.ts'
import { openFilesWith, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

/** The process is killed in the middle of each statement, as long as there is a killer. */
class KilledDuckDb extends DuckDbProcess {
  hasKiller = false
  kills = 0

  override async run(
    ...[statement, options]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    if (!this.hasKiller) return super.run(statement, options)
    const endless = 'select count(*) from range(1000000000000) as a where hash(a.range) = 1'
    const [end] = await Promise.allSettled([super.run({ sql: endless }, options), this.#kill()])
    assert.ok(end.status === 'rejected')
    throw end.reason
  }

  async #kill(): Promise<void> {
    await until(() => this.pid !== null, { what: 'a process' })
    process.kill(this.pid ?? assert.fail('no process'), 'SIGKILL')
    this.kills += 1
  }
}

const { url, database, brand, drop } = await freshDatabase()
const opened = await openFilesWith((plan) => new KilledDuckDb(plan))
const { eventFiles } = opened
const { duckdb } = eventFiles
const frozen = await openFrozen({ url, database }, opened)
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
  { what: 'a list', path: `/api/v1/events?limit=100&from=${SPAN.from}`, kills: 1 },
  // The question is not asked of rows after that: its events would have to be brought from the same files.
  { what: 'a question', path: '/api/v1/events/query', body: SPAN, kills: 1 },
] as const

for (const { what, kills, path, ...others } of QUESTIONS) {
  test(`503 to ${what} whose DuckDB is killed while events have no rows, and the next one is answered`, async () => {
    const one = await brand()
    const events = Array.from({ length: 30 }, (_, place) => rawEvent(place, { attributes: '{"sku": "A"}' }))
    await frozen.store(one.brandId, events)
    await frozen.round()
    await frozen.drop()
    const { count } = await database.query('select from events where brand_id = $1', [one.brandId])
    assert.equal(count, 0)
    const ask = async (): Promise<Answer> => call(server.port, { path, headers: keyHeaders(one), ...others })
    duckdb.kills = 0
    duckdb.hasKiller = true
    const failed = await ask()
    duckdb.hasKiller = false
    assert.equal(failed.status, 503, failed.text)
    assert.match(failed.text, /"overloaded"/)
    assert.doesNotMatch(failed.text, /DuckDB|SIGKILL|parquet/i)
    assert.equal(duckdb.kills, kills, 'a process that was killed is not asked the same again and again')
    const answered = await ask()
    assert.equal(answered.status, 200, answered.text)
    assert.match(answered.text, /"processed":30|"value":30/)
  })
}
