import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import type { S3Mood } from '../support/object-store/s3-server.ts'
import { until } from '../support/until.ts'
import {
  areOthersGone,
  type Brand,
  type DroppingLimits,
  EVENTS,
  filesAlone,
  found,
  makeBrand,
  moveSome,
  type Opened,
  openDropping,
} from './dropping-place.ts'
import { FULL_PARQUET, makeFullDuckDb } from './full-duckdb.ts'

/** Each event is there once, as a row or in a file only. */
async function assertAll(opened: Opened, { brandId, stored }: Brand): Promise<void> {
  assert.deepEqual((await found(opened, brandId)).toSorted(), stored.toSorted())
}

async function rowsOf({ database }: Opened, { brandId }: Brand): Promise<number> {
  return (await database.query('select from events where brand_id = $1', [brandId])).count
}

/** Drops rows on a disk that takes no more, until that has failed. */
async function dropOnFullDisk(opened: Opened, full: FullDisk): Promise<void> {
  const child = opened.startDropping(full.limits)
  const said: string[] = []
  child.stdout?.on('data', (chunk: Buffer) => said.push(String(chunk)))
  const exited = once(child, 'exit')
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
  await until(() => isOver() || said.join('').includes('could not be frozen'), { what: 'a refused write' })
  child.kill('SIGKILL')
  await exited
  assert.match(said.join(''), full.says)
  await until(async () => areOthersGone(opened), { what: 'the end of the sessions of the killed process' })
}

const duckdb = await makeFullDuckDb()
after(duckdb.remove)

const FULL_DISKS = [
  // The kernel refuses each write beyond this size of a file, as a full disk would. The first is that of the rows, as CSV.
  { what: 'a full disk', limits: { limit: 'ulimit -f 16;' }, says: /EFBIG|csv/ },
  {
    what: 'a disk that is full when DuckDB writes the Parquet',
    limits: { duckDbNode: duckdb.program },
    says: FULL_PARQUET,
  },
] as const satisfies readonly FullDisk[]

type FullDisk = { readonly what: string; readonly limits: DroppingLimits; readonly says: RegExp }

for (const full of FULL_DISKS) {
  test(`${full.what} while rows are dropped, and while a file without rows is written again, loses and doubles nothing`, async () => {
    const opened = await openDropping('folder')
    try {
      const brand = await makeBrand(opened, 1)
      await opened.frozen.round()
      await dropOnFullDisk(opened, full)
      assert.equal(await filesAlone(opened), 0)
      assert.equal(await rowsOf(opened, brand), EVENTS)

      await opened.frozen.drop(EVENT_FILE_LIMITS.retryMsMax)
      assert.equal(await rowsOf(opened, brand), 0)
      await moveSome(opened, { brandId: brand.brandId, round: 0 })
      const changed = await rowsOf(opened, brand)
      assert.ok(changed > 0)
      await dropOnFullDisk(opened, full)
      assert.equal(await rowsOf(opened, brand), changed)
      await assertAll(opened, brand)

      await opened.frozen.drop(EVENT_FILE_LIMITS.retryMsMax)
      assert.equal(await rowsOf(opened, brand), 0)
      await assertAll(opened, brand)
      const { rows } = await opened.database.query<{ path: string }>(
        'select path from event_files union all select path from replaced_event_files order by path',
      )
      const listed = rows.map(({ path }) => path)
      assert.deepEqual(await opened.names(), listed, 'no part of a refused file is left')
    } finally {
      await opened.close()
    }
  })
}

/** Drops rows into a store that refuses, and then into one that is back. The store is the cause, so no range waits for its next try. */
async function dropRefused(opened: Opened, brand: Brand, mood: S3Mood): Promise<void> {
  const { s3, frozen } = opened
  assert.ok(s3 !== null)
  const before = [await rowsOf(opened, brand), await filesAlone(opened)]
  await frozen.untilFree()
  s3.state.mood = mood
  await assert.rejects(frozen.once(0, 0))
  s3.state.mood = 'well'
  assert.deepEqual([await rowsOf(opened, brand), await filesAlone(opened)], before, mood)
  await assertAll(opened, brand)
}

test('a store that is lost while rows are dropped, and while a file without rows is written again, loses and doubles nothing', async () => {
  const opened = await openDropping('object store')
  const { frozen, folder } = opened
  try {
    const brand = await makeBrand(opened, 1)
    await frozen.round()
    for (const mood of ['full', 'busy'] as const) await dropRefused(opened, brand, mood)
    await frozen.drop()
    assert.equal(await rowsOf(opened, brand), 0)
    await moveSome(opened, { brandId: brand.brandId, round: 0 })
    for (const mood of ['full', 'busy'] as const) await dropRefused(opened, brand, mood)
    // Without a copy on this machine, the old file has to be fetched.
    await rm(join(folder, `brand=${brand.brandId}`), { recursive: true })
    await dropRefused(opened, brand, 'full')
    await rm(join(folder, `brand=${brand.brandId}`), { recursive: true })
    await dropRefused(opened, brand, 'cut')
    await frozen.drop()
    assert.equal(await rowsOf(opened, brand), 0)
    await assertAll(opened, brand)
  } finally {
    await opened.close()
  }
})
