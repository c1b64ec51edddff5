import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { measureFiles } from '../../src/intake/events/measure.ts'
import { askPaths } from '../../src/intake/events/walks.ts'
import { QuestionTooLong, withinLimit } from '../../src/intake/events/within-limit.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { QueueFull } from '../../src/runtime/limits/limiter.ts'
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

/** Notes the time that each statement may take, and the moments around the count of a percentile, which takes long. */
class SlowCount extends DuckDbProcess {
  readonly times: number[] = []
  readonly count = { turnFrom: 0, turnTo: 0, endFrom: 0, endTo: 0 }

  override async run(
    statement: Parameters<DuckDbProcess['run']>[0],
    options: Parameters<DuckDbProcess['run']>[1],
  ): ReturnType<DuckDbProcess['run']> {
    this.times.push(options.timeoutMs)
    if (this.times.length > 1) {
      this.count.endTo = performance.now()
      return super.run(statement, options)
    }
    const onTurn = (): void => {
      this.count.turnFrom = performance.now()
      options.onTurn?.()
      this.count.turnTo = performance.now()
    }
    const rows = await super.run({ sql: LONG }, { ...options, onTurn })
    this.count.endFrom = performance.now()
    return rows
  }

  /** Keeps a brand waiting for its turn until it has asked, without a note. One statement is at work and one waits all the while. */
  async occupy(brandId: number): Promise<void> {
    const key = String(brandId)
    const repeat = async (): Promise<void> => {
      while (this.times.length === 0) await super.run({ sql: LONG }, { ...LIMITS, key })
    }
    await Promise.all([repeat(), repeat()])
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
  const cells = await measureFiles(deps, { question, signal, tell: null })
  assert.notEqual(cells, null, frozen.lines.join())
  const [first = 0, second = 0, ...more] = duckdb.times
  assert.deepEqual([first, more], [EVENT_FILE_LIMITS.questionMsMax, []])
  const countMs = first - second
  // The count began at its turn, and ended before the next statement was asked.
  const { turnFrom, turnTo, endFrom, endTo } = duckdb.count
  assert.ok(countMs >= endFrom - turnTo, `${countMs} ms of at least ${endFrom - turnTo}`)
  assert.ok(countMs < endTo - turnFrom + 1, `${countMs} ms of at most ${endTo - turnFrom}`)
  await others
  await duckdb.close()
})

/** Takes longer than any test. */
const ENDLESS = 'select sum(a.range * b.range)::varchar from range(1000000) as a, range(1000000) as b'

/** Can be busy with others, or take endlessly for a question itself. */
class BusyDuckDb extends DuckDbProcess {
  isEndless = false

  override async run(
    ...[statement, options]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    return super.run(this.isEndless ? { sql: ENDLESS } : statement, options)
  }

  /** Keeps everybody waiting until the signal aborts. */
  async occupy(signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>()
    const options = { timeoutMs: 3_600_000, rowsMax: 1, signal, onTurn: turn.resolve }
    super.run({ sql: ENDLESS }, options).catch(() => null)
    await turn.promise
  }
}

test('a question whose time was over in the line may come again, and one that took the time itself is too long', async (context) => {
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1), rawEvent(2), rawEvent(3)])
  await frozen.round()
  const { folder } = frozen.eventFiles
  const duckdb = new BusyDuckDb({ folder, memoryMib: 512, threads: 2, access: 'read', idleMs: 60_000 })
  context.after(async () => duckdb.close())
  const deps = { database, eventFiles: { ...frozen.eventFiles, duckdb } }
  const span = { fromAt: OLD_WEEK.startsAt, toAt: OLD_WEEK.endsAt }
  const query = { brandId, startEvent: 'buy', depth: 2, withinMs: DAY_MS, ...span, pathsMax: 5 }
  const ask = async (): Promise<unknown> =>
    withinLimit({ signal: new AbortController().signal, limitMs: 3_000 }, async (limited) =>
      askPaths(deps, query, { ...limited, tell: null }),
    )
  const others = new AbortController()
  await duckdb.occupy(others.signal)
  await assert.rejects(ask(), QueueFull)
  others.abort()
  await ask()
  duckdb.isEndless = true
  await assert.rejects(ask(), QuestionTooLong)
})
