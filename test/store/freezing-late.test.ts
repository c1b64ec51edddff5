import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { freezeRangeInTime } from '../../src/intake/event-files/freeze.ts'
import type { FreezeTask } from '../../src/intake/event-files/freeze-task.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import type { DuckDbOptions } from '../../src/runtime/duckdb/duckdb-child.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { freshDatabase } from '../support/database/database.ts'
import { freezeDeps } from '../support/events/freeze-deps.ts'
import { openFrozen, rawEvent } from '../support/events/frozen.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
after(async () => {
  await frozen.close()
  await drop()
})

const OPTIONS: DuckDbOptions = {
  folder: frozen.folder,
  memoryMib: 256,
  threads: 1,
  access: 'write',
  idleMs: 600_000,
  isBackground: true,
}

/** A file that is to be written again, with or without its rows. */
async function fileToWrite(drops: boolean): Promise<FreezeTask> {
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1), rawEvent(2)])
  await frozen.round()
  const { rows } = await database.query<{ firstId: bigint; endId: bigint; path: string }>(
    'select first_id as "firstId", end_id as "endId", path from event_files where brand_id = $1',
    [brandId],
  )
  const [file] = rows
  assert.ok(file !== undefined)
  const { path, ...range } = file
  return { range: { brandId, ...range }, eventMsMax: 2, replaces: path, drops, goneAt: null }
}

/** A DuckDB that others leave no CPU: as long as it is in the background, it is at work on this kind of statement for ever. */
class Starved extends DuckDbProcess {
  readonly #kind: RegExp

  constructor(kind: RegExp) {
    super(OPTIONS)
    this.#kind = kind
  }

  override async run(
    statement: Parameters<DuckDbProcess['run']>[0],
    options: Parameters<DuckDbProcess['run']>[1],
  ): ReturnType<DuckDbProcess['run']> {
    if (this.isHurried || !this.#kind.test(statement.sql)) return super.run(statement, options)
    return super.run({ sql: ENDLESS }, { ...options, timeoutMs: 50 })
  }
}

const ENDLESS = 'select count(*) from range(1000000000000) as a where hash(a.range) = 1'

for (const [what, kind, drops] of [
  ['is written', /^copy/i, false],
  ['is compared with its rows, which are dropped', /^(select|with).*read_parquet/is, true],
] as const) {
  test(`a file that ${what} on a machine that is always busy is done with the second try`, async () => {
    const task = await fileToWrite(drops)
    const duckdb = new Starved(kind)
    const { deps } = freezeDeps({ url, database, frozen, duckdb })
    assert.equal((await freezeRangeInTime(deps, task))?.events, 2)
    assert.equal(duckdb.isHurried, true)
    await duckdb.close()
  })
}

/** Notes the time that each statement may take. */
class Timed extends DuckDbProcess {
  readonly times: number[] = []

  override async run(
    statement: Parameters<DuckDbProcess['run']>[0],
    options: Parameters<DuckDbProcess['run']>[1],
  ): ReturnType<DuckDbProcess['run']> {
    this.times.push(options.timeoutMs)
    return super.run(statement, options)
  }
}

test('all statements of a file share one bound of time', async () => {
  const task = await fileToWrite(false)
  const duckdb = new Timed(OPTIONS)
  const { deps } = freezeDeps({ url, database, frozen, duckdb })
  assert.equal((await freezeRangeInTime(deps, task))?.events, 2)
  const { times } = duckdb
  assert.ok(times.length > 3 && times.every((ms) => ms <= EVENT_FILE_LIMITS.fileMsMax))
  for (const [at, ms] of times.entries()) assert.ok(at === 0 || ms < (times[at - 1] ?? 0), times.join(', '))
  await duckdb.close()
})
