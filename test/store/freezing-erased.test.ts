import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { freezeRange } from '../../src/intake/event-files/freeze.ts'
import type { FreezeTask } from '../../src/intake/event-files/freeze-task.ts'
import { planFreezing } from '../../src/intake/event-files/plan-freezing.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { textOf } from '../../src/store/event-files/duck-sql.ts'
import { eraseTraces } from '../../src/store/people/erasing.ts'
import { freshDatabase } from '../support/database/database.ts'
import { freezeDeps } from '../support/events/freeze-deps.ts'
import { openFrozen, rawEvent } from '../support/events/frozen.ts'
import { until } from '../support/until.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
const cold = frozen.openCold()
const duckdb = new DuckDbProcess({
  folder: frozen.folder,
  memoryMib: 256,
  threads: 1,
  access: 'write',
  idleMs: 600_000,
})
after(async () => {
  await duckdb.close()
  await cold.close()
  await frozen.close()
  await drop()
})

const { goneForMs, goneUrgentMs } = EVENT_FILE_LIMITS

/** A frozen brand of four people. */
async function frozenBrand(): Promise<number> {
  const { brandId } = await brand()
  const attributes = '{"sku": "A"}'
  await frozen.store(
    brandId,
    [1, 2, 3, 4].map((person) => rawEvent(person, { profileId: person, attributes })),
  )
  await frozen.round()
  return brandId
}

async function beginErasure(brandId: number, profileId: number): Promise<void> {
  await database.query(
    `insert into erasures (brand_id, profile_id, asked_at, identifiers, subscription_ids, subscription_names)
     values ($1, $2, now(), '{}', '{}', '{}')`,
    [brandId, profileId],
  )
}

/** The people in the files of a brand, read by a DuckDB of the test's own. */
async function peopleInFiles(brandId: number): Promise<readonly string[]> {
  const { rows } = await database.query<{ path: string }>(
    'select path from event_files where brand_id = $1',
    [brandId],
  )
  const paths = rows.map(({ path }) => `'${join(frozen.folder, path)}'`).join(', ')
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const sql = `select profile_id::varchar from read_parquet([${paths}], union_by_name = true) order by 1`
  const reader = await connection.runAndReadAll(sql)
  return reader.getRowsJson().map(([id]) => textOf(id))
}

async function rowCount(brandId: number): Promise<number> {
  return (await database.query('select from events where brand_id = $1', [brandId])).count
}

test('a brand that always erases somebody has its rows dropped, and the files without rows written again', async () => {
  const brandId = await frozenBrand()
  await beginErasure(brandId, 4)
  await frozen.drop()
  assert.equal(await rowCount(brandId), 0)
  await beginErasure(brandId, 1)
  await cold.asEngine(async (tx) => eraseTraces(tx, { brandId, profileId: 1n }, 10))
  await beginErasure(brandId, 3)
  await frozen.drop(2 * goneForMs)
  assert.deepEqual(await peopleInFiles(brandId), ['2', '3', '4'])
  assert.equal(await rowCount(brandId), 0)
  for (const profileId of [3n, 4n])
    await cold.asEngine(async (tx) => eraseTraces(tx, { brandId, profileId }, 10))
  await frozen.drop(2 * goneForMs)
  assert.deepEqual(await peopleInFiles(brandId), ['2'])
})

test('a file with a deletion of long ago is written before all others, and without rests', async () => {
  const [changed, soon, late] = [await frozenBrand(), await frozenBrand(), await frozenBrand()]
  await database.query('update events set profile_id = 99 where brand_id = $1', [changed])
  await database.query('delete from events where brand_id in ($1, $2) and profile_id = 1', [soon, late])
  await database.query(
    'update event_file_changes set changed_at = changed_at - $2::interval where brand_id = $1',
    [late, `${goneUrgentMs} milliseconds`],
  )
  const { deps, paced } = freezeDeps({ url, database, frozen, duckdb, laterMs: 2 * goneForMs })
  let tasks: readonly FreezeTask[] = []
  await until(
    async () => {
      tasks = await planFreezing(deps)
      return [changed, soon, late].every((brandId) => tasks.some(({ range }) => range.brandId === brandId))
    },
    { what: 'the end of older transactions' },
  )
  assert.equal(tasks[0]?.range.brandId, late)
  for (const [brandId, rests] of [
    [late, 0],
    [soon, 1],
  ] as const) {
    const task = tasks.find(({ range }) => range.brandId === brandId)
    assert.ok(task !== undefined)
    assert.equal((await freezeRange(deps, task))?.events, 3)
    assert.equal(paced.count, rests)
    assert.deepEqual(await peopleInFiles(brandId), ['2', '3', '4'])
  }
})
