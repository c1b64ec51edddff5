import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { WEEK_MS } from '../../src/domain/events/week.ts'
import { deleteBrand } from '../../src/store/brand/deletion.ts'
import { purgeBrands } from '../../src/store/brand/purge.ts'
import { withOwner } from '../../src/store/db.ts'
import { textOf } from '../../src/store/event-files/duck-sql.ts'
import { ensureReaders } from '../../src/store/events/readers.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import { eraseTraces } from '../../src/store/people/erasing.ts'
import { SESSION_LOCKS } from '../../src/store/session-locks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DAY_MS, OLD_WEEK, openFrozen, rawEvent } from '../support/events/frozen.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
after(async () => {
  await frozen.close()
  await drop()
})

type ListedRow = { readonly path: string; readonly events: bigint; readonly ids: string }

async function listed(brandId: number): Promise<readonly ListedRow[]> {
  const { rows } = await database.query<ListedRow>(
    `select path, events, sum_ids::text as ids from event_files where brand_id = $1 order by first_id`,
    [brandId],
  )
  return rows
}

/** The ids in the files of a brand, read by a DuckDB of the test's own. */
async function idsInFiles(brandId: number): Promise<readonly bigint[]> {
  const paths = (await listed(brandId)).map(({ path }) => `'${join(frozen.folder, path)}'`)
  if (paths.length === 0) return []
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const reader = await connection.runAndReadAll(
    `select id::varchar from read_parquet([${paths.join(', ')}], union_by_name = true) order by id`,
  )
  return reader.getRowsJson().map(([id]) => BigInt(textOf(id)))
}

function inOrder(ids: readonly bigint[]): readonly bigint[] {
  return ids.toSorted((one, other) => (one < other ? -1 : 1))
}

async function changes(brandId: number): Promise<readonly bigint[]> {
  const { rows } = await database.query<{ id: bigint }>(
    'select event_id as id from event_file_changes where brand_id = $1 order by 1',
    [brandId],
  )
  return rows.map(({ id }) => id)
}

test('a round writes the ended week of each brand, and leaves the week of now alone', async () => {
  const [one, other] = [await brand(), await brand()]
  const ids = await frozen.store(one.brandId, [rawEvent(1), rawEvent(2), rawEvent(3)])
  await frozen.store(one.brandId, [rawEvent(4, { receivedAt: Date.now() })])
  await frozen.store(other.brandId, [rawEvent(5)])
  await frozen.round()
  assert.deepEqual(await idsInFiles(one.brandId), inOrder(ids))
  assert.equal((await idsInFiles(other.brandId)).length, 1)
  const [file] = await listed(one.brandId)
  assert.equal(file?.events, 3n)
  assert.equal(file.ids, String(ids.reduce((sum, id) => sum + id, 0n)))
  assert.match(file.path, new RegExp(`^brand=${one.brandId}/week=\\d{4}-\\d\\d-\\d\\d/events-0001-`))
  await frozen.round()
  assert.deepEqual(
    (await listed(one.brandId)).map(({ path }) => path),
    [file.path],
    'it is written once',
  )
})

test('a week is not frozen before every reader has read it', async () => {
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1)])
  await database.query(
    `insert into event_batches (brand_id, id, entries, attributes_seen) values ($1, $2, 1, '{}')`,
    [brandId, OLD_WEEK.firstId],
  )
  await ensureReaders(database, 'counting')
  await frozen.round()
  assert.deepEqual(await listed(brandId), [])
  await database.query(
    `update event_readers set tx = pg_snapshot_xmax(pg_current_snapshot()) where brand_id = $1`,
    [brandId],
  )
  await frozen.round()
  assert.equal((await listed(brandId)).length, 1)
})

test('a week is not frozen while a transaction is open that began before the watch', async () => {
  const { brandId } = await brand()
  const [id] = await frozen.store(brandId, [rawEvent(1)])
  await database.asEngine(async (tx) => {
    await tx.query('update events set profile_id = 77 where brand_id = $1 and id = $2', [brandId, id])
    // The lock on the week would keep the round waiting if its trigger were not there already.
    await frozen.once()
    assert.deepEqual(await listed(brandId), [])
  })
  await frozen.round()
  assert.equal((await listed(brandId)).length, 1)
  assert.deepEqual(await changes(brandId), [])
})

test('a week is not frozen while a transaction is open that began after the watch and did not see it', async () => {
  const { brandId } = await brand()
  const [id] = await frozen.store(brandId, [rawEvent(1)])
  const { firstId, endId } = OLD_WEEK
  await withOwner(url, async (watcher) => {
    await watcher.query('begin; set local role beckon_engine')
    await watcher.query('insert into event_file_weeks (brand_id, first_id, end_id) values ($1, $2, $3)', [
      brandId,
      firstId,
      endId,
    ])
    await database.asEngine(async (tx) => {
      // Its number is higher than that of the watch, which is the last one that has ended.
      await tx.query('update events set profile_id = 77 where brand_id = $1 and id = $2', [brandId, id])
      await watcher.query('commit')
      await frozen.once()
      assert.deepEqual(await listed(brandId), [])
    })
  })
  assert.deepEqual(await changes(brandId), [])
  await frozen.round()
  assert.equal((await listed(brandId)).length, 1)
})

test('changed, deleted and late events are noted; a file is written again after a deletion', async () => {
  const { brandId } = await brand()
  const ids = await frozen.store(brandId, [rawEvent(1), rawEvent(2), rawEvent(3)])
  await frozen.round()
  const [before] = await listed(brandId)
  const [first = 0n, second = 0n, third = 0n] = ids
  await database.query('update events set profile_id = 99 where brand_id = $1 and id = $2', [brandId, first])
  const [late = 0n] = await frozen.store(brandId, [rawEvent(4)])
  assert.deepEqual(await changes(brandId), inOrder([first, late]))
  await frozen.round()
  assert.deepEqual(await idsInFiles(brandId), inOrder([first, second, third, late]), 'a large share changed')
  assert.deepEqual(await changes(brandId), [])
  await database.query('delete from events where brand_id = $1 and id = $2', [brandId, second])
  assert.deepEqual(await changes(brandId), [second])
  await frozen.round(DAY_MS)
  assert.deepEqual(await idsInFiles(brandId), inOrder([first, third, late]))
  assert.ok(before !== undefined && !(await frozen.names()).includes(before.path), 'the old file is removed')
})

test('an erasure is noted, and the file is written again without the person', async () => {
  const { brandId } = await brand()
  const events = [
    rawEvent(1, { profileId: 501 }),
    rawEvent(2, { profileId: 502 }),
    rawEvent(3, { profileId: 501 }),
  ]
  const [first = 0n, second = 0n, third = 0n] = await frozen.store(brandId, events)
  await frozen.round()
  await database.asEngine(async (tx) => eraseTraces(tx, { brandId, profileId: 501n }, 10))
  assert.deepEqual(await changes(brandId), inOrder([first, third]))
  await frozen.round(2 * 3_600_000)
  assert.deepEqual(await idsInFiles(brandId), [second])
})

test('a file is not written again while an older transaction is open, whose end it would have to wait for', async () => {
  const { brandId } = await brand()
  const ids = await frozen.store(brandId, [rawEvent(1), rawEvent(2)])
  await frozen.round()
  const [file] = await listed(brandId)
  await database.asEngine(async (tx) => {
    await tx.query('select pg_current_xact_id()')
    await database.query('delete from events where brand_id = $1 and id = $2', [brandId, ids[0]])
    await frozen.once(DAY_MS)
    assert.deepEqual(await listed(brandId), [file])
    assert.deepEqual(await changes(brandId), [ids[0]])
  })
  await frozen.round(DAY_MS)
  assert.deepEqual(await idsInFiles(brandId), [ids[1]])
  assert.deepEqual(await changes(brandId), [])
})

test('one change of many waits a week, one deletion an hour', async () => {
  const { brandId } = await brand()
  const ids = await frozen.store(
    brandId,
    Array.from({ length: 200 }, (_, place) => rawEvent(place)),
  )
  await frozen.round()
  const [file] = await listed(brandId)
  await database.query('update events set profile_id = 99 where brand_id = $1 and id = $2', [brandId, ids[0]])
  await frozen.round(6 * DAY_MS)
  assert.deepEqual(await listed(brandId), [file])
  await database.query('delete from events where brand_id = $1 and id = $2', [brandId, ids[1]])
  await frozen.round(30 * 60_000)
  assert.deepEqual(await listed(brandId), [file])
  await frozen.round(61 * 60_000)
  assert.equal((await listed(brandId))[0]?.events, 199n)
})

test('a lost file, a damaged one and the rest of a killed process are put right', async () => {
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1)])
  await frozen.round()
  const [file] = await listed(brandId)
  const path = file?.path ?? ''
  const stray = path.replace('0001', '0002')
  await writeFile(join(frozen.folder, stray), 'rest')
  await writeFile(join(frozen.folder, `${stray}.part`), 'rest')
  await writeFile(join(frozen.folder, 'mine.txt'), 'not of Beckon')
  await rm(join(frozen.folder, path))
  await frozen.round()
  const [again] = await listed(brandId)
  assert.notEqual(again?.path, path)
  const names = await frozen.names()
  assert.deepEqual(
    names.filter((name) => name.startsWith(`brand=${brandId}/`)),
    [again?.path],
  )
  assert.ok(names.includes('mine.txt'))
  assert.equal((await idsInFiles(brandId)).length, 1)
  await writeFile(join(frozen.folder, again?.path ?? ''), 'short')
  await frozen.round()
  assert.equal((await idsInFiles(brandId)).length, 1)
})

test('a second process does nothing while the first one freezes', async () => {
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1)])
  await withOwner(url, async (owner) => {
    await owner.query('select pg_advisory_lock($1, $2)', SESSION_LOCKS.eventFiles)
    await frozen.once()
    assert.deepEqual(await listed(brandId), [])
  })
})

test('a deleted brand takes its files along', async () => {
  const { brandId, externalId } = await brand()
  await frozen.store(brandId, [rawEvent(1), rawEvent(2)])
  await frozen.round()
  assert.equal((await listed(brandId)).length, 1)
  await deleteBrand(database, externalId)
  while ((await purgeBrands(database, { rowsMax: 1, quietMs: 0 })).removed > 0);
  await frozen.round()
  assert.deepEqual(
    (await frozen.names()).filter((name) => name.startsWith(`brand=${brandId}/`)),
    [],
  )
  assert.deepEqual(await changes(brandId), [])
})

test('a week past its retention takes its files along', async () => {
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1)])
  await frozen.round()
  assert.equal((await listed(brandId)).length, 1)
  await withOwner(url, async (owner) =>
    maintainWeeks(owner, { now: OLD_WEEK.endsAt + WEEK_MS, retentionDays: 7 }),
  )
  assert.deepEqual(await listed(brandId), [])
  await frozen.round()
  assert.deepEqual(
    (await frozen.names()).filter((name) => name.startsWith(`brand=${brandId}/`)),
    [],
  )
})
