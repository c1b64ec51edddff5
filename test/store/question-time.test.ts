import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { measureFiles } from '../../src/intake/events/measure.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DAY_MS, OLD_WEEK, openFrozen, rawEvent } from '../support/events/frozen.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
after(async () => {
  await frozen.close()
  await drop()
})

const LIMITS = { timeoutMs: 60_000, rowsMax: 1 }
/** A statement that takes a hundred milliseconds or more. */
const LONG = 'select count(*)::varchar from range(60000000) as a where hash(a.range) = 1'

/** Notes the time that each statement may take. The count of a percentile takes long. */
class SlowCount extends DuckDbProcess {
  readonly times: number[] = []

  override async run(
    statement: Parameters<DuckDbProcess['run']>[0],
    options: Parameters<DuckDbProcess['run']>[1],
  ): ReturnType<DuckDbProcess['run']> {
    this.times.push(options.timeoutMs)
    return super.run(this.times.length === 1 ? { sql: LONG } : statement, options)
  }

  /** Keeps a brand waiting for some turns, without a note. */
  async occupy(brandId: number): Promise<void> {
    const key = String(brandId)
    await Promise.all([LONG, LONG, LONG].map(async (sql) => super.run({ sql }, { ...LIMITS, key })))
  }
}

test('the statements of a percentile share the time of one question, without the wait for their turn', async () => {
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1), rawEvent(2), rawEvent(3)])
  await frozen.round()
  const { folder } = frozen.eventFiles
  const duckdb = new SlowCount({ folder, memoryMib: 512, threads: 2, access: 'read', idleMs: 60_000 })
  const deps = { database, eventFiles: { ...frozen.eventFiles, duckdb } }
  const others = duckdb.occupy(brandId)
  const question = {
    brandId,
    now: Date.now(),
    eventName: null,
    where: [],
    people: null,
    fromAt: OLD_WEEK.startsAt,
    toAt: OLD_WEEK.endsAt,
    measure: 'percentile' as const,
    attribute: null,
    percentile: 0.5,
    parts: [],
    groupsMax: 5,
    edges: [OLD_WEEK.startsAt, OLD_WEEK.startsAt + 7 * DAY_MS],
    spansBefore: 0,
  }
  const { signal } = new AbortController()
  const begunAt = performance.now()
  const cells = await measureFiles(deps, { question, signal, tell: null })
  assert.notEqual(cells, null, frozen.lines.join())
  const tookMs = performance.now() - begunAt
  const [first = 0, second = 0, ...more] = duckdb.times
  assert.deepEqual([first, more], [EVENT_FILE_LIMITS.questionMsMax, []])
  const countMs = first - second
  assert.ok(countMs > 20 && countMs < tookMs / 2, `${countMs} ms of ${tookMs}`)
  await others
  await duckdb.close()
})
