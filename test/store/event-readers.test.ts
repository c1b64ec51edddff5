import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TailPosition } from '../../src/domain/events/tail-position.ts'
import type { Db } from '../../src/store/db.ts'
import {
  advanceReader,
  ensureReaders,
  findBehind,
  loadBatches,
  takeReader,
} from '../../src/store/events/readers.ts'
import { findTailPosition, readTail } from '../../src/store/events/tail.ts'
import { freshDatabase } from '../support/database/database.ts'
import { until } from '../support/until.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

/** Batches of transactions that have all ended, given in no order. */
async function putBatches(brandId: number, numbers: readonly number[]): Promise<void> {
  await database.query(
    `insert into event_batches (brand_id, tx, id, entries, attributes_seen)
     select $1, number::text::xid8, 1, 1, '{}' from unnest($2::integer[]) as number`,
    [brandId, numbers],
  )
}

async function readAll(tx: Db, brandId: number): Promise<readonly string[]> {
  const seen: string[] = []
  while (true) {
    const place = await takeReader(tx, { brandId, reader: 'test' })
    assert.ok(place !== null)
    const batches = await loadBatches(tx, place, { batchesMax: 2 })
    const last = batches.at(-1)
    if (last === undefined) return seen
    seen.push(...batches.map((batch) => batch.tx))
    await advanceReader(tx, place, last)
  }
}

test('batches are read once each and in order, also where their numbers grow by a digit', async () => {
  const mine = await brand()
  await putBatches(mine.brandId, [100, 9, 10, 99, 11, 98])
  await ensureReaders(database, 'test')
  const seen = await database.asEngine(async (tx) => readAll(tx, mine.brandId))
  assert.deepEqual(seen, ['9', '10', '11', '98', '99', '100'])
  assert.deepEqual(await findBehind(database, { reader: 'test', limit: 10 }), [])
})

test('a live tail goes by the same order', async () => {
  const mine = await brand()
  await putBatches(mine.brandId, [100, 99])
  const { brandId } = mine
  const { newest, step } = await database.asBrand(brandId, async (tx) => ({
    newest: await findTailPosition(tx, brandId),
    step: await readTail(tx, brandId, { place: { tx: '9', eventId: 0n }, upTo: null, limit: 10 }),
  }))
  assert.equal(newest.tx, '100')
  assert.equal(step.place.tx, '100')
})

test('a live tail goes on after its last event, and shows no event twice where two batches lie side by side', async () => {
  const { brandId } = await brand()
  const [first, second] = [1n << 21n, (1n << 21n) + 1_024n]
  const ids = [first, first + 1n, first + 2n, second, second + 1n]
  await database.query(
    `with batch as (
       insert into event_batches (brand_id, tx, id, entries, attributes_seen)
       values ($1, '101', $2, 3, '{}'), ($1, '102', $3, 2, '{}')
     )
     insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
     select id, 1, now(), $1, false, 'view', 0, '{}' from unnest($4::bigint[]) as id`,
    [brandId, first, second, ids],
  )
  const shown = async (place: TailPosition): Promise<readonly bigint[]> => {
    const step = await database.asBrand(brandId, async (tx) =>
      readTail(tx, brandId, { place, upTo: null, limit: 10 }),
    )
    return step.events.map(({ id }) => id)
  }
  assert.deepEqual(await shown({ tx: '0', eventId: 0n }), ids)
  assert.deepEqual(await shown({ tx: '101', eventId: first }), ids.slice(1))
  assert.deepEqual(await shown({ tx: '101', eventId: first + 2n }), ids.slice(3))
  assert.deepEqual(await shown({ tx: '102', eventId: second }), ids.slice(4))
})

test('a batch of a transaction that is still open, and all after it, are left for later', async () => {
  const mine = await brand()
  await ensureReaders(database, 'test')
  const place = { brandId: mine.brandId, reader: 'test', tx: '0', batchId: 0n }
  await database.asEngine(async (open) => {
    await open.query(
      `insert into event_batches (brand_id, id, entries, attributes_seen) values ($1, 1, 1, '{}')`,
      [mine.brandId],
    )
    await database.query(
      `insert into event_batches (brand_id, id, entries, attributes_seen) values ($1, 2, 1, '{}')`,
      [mine.brandId],
    )
    assert.deepEqual(await loadBatches(database, place, { batchesMax: 10 }), [])
  })
  // Transactions of other test files, on the same server, hold the reader back for as long as they are open.
  await until(async () => (await loadBatches(database, place, { batchesMax: 10 })).length === 2, {
    what: 'both batches can be read',
  })
  const seen = await loadBatches(database, place, { batchesMax: 10 })
  assert.deepEqual(
    seen.map(({ id }) => id),
    [1n, 2n],
  )
})

test('a reader takes batches up to a number of events, and the one that goes beyond it', async () => {
  const mine = await brand()
  const place = { brandId: mine.brandId, reader: 'test', tx: '0', batchId: 0n }
  await database.query(
    `insert into event_batches (brand_id, id, entries, attributes_seen)
     select $1, id, 5, '{}' from generate_series(1, 4) as id`,
    [mine.brandId],
  )
  const taken = async (entriesMax: number): Promise<readonly bigint[]> =>
    (await loadBatches(database, place, { batchesMax: 10, entriesMax })).map(({ id }) => id)
  // Transactions of other test files, on the same server, hold the reader back for as long as they are open.
  await until(async () => (await taken(100)).length === 4, { what: 'all batches can be read' })
  assert.deepEqual(await taken(5), [1n])
  assert.deepEqual(await taken(6), [1n, 2n])
  assert.deepEqual(await taken(15), [1n, 2n, 3n])
})
