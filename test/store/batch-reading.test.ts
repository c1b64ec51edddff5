import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readStoredGoal } from '../../src/domain/campaigns/stored-goal.ts'
import { findGoalDoers } from '../../src/store/campaigns/goals.ts'
import { type Db, withOwner } from '../../src/store/db.ts'
import { loadBatchEvents, loadEventsSince } from '../../src/store/events/person-events.ts'
import { freshDatabase } from '../support/database/database.ts'
import { catchUp, findMiscounts } from '../support/events/counting.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const BATCH_ENTRIES = 1_000
const PURCHASE_BATCHES = 5
const GOAL = readStoredGoal({ event: 'purchase', from: 'delivery', within_days: 3 })

let brandId = 0
let batchIds: readonly bigint[] = []

/** The server has statistics of a time without purchases: it takes them for rare, and the index of names for the best. */
before(async () => {
  brandId = (await brand()).brandId
  await storeBatches('view', PURCHASE_BATCHES)
  await withOwner(url, async (owner) => owner.query('analyze events'))
  batchIds = await storeBatches('purchase', PURCHASE_BATCHES)
})

async function storeBatches(name: string, count: number): Promise<readonly bigint[]> {
  const first = BigInt(Date.now()) << 21n
  const ids = Array.from({ length: count }, (_, place) => first + BigInt(place) * 1_024n)
  await database.query(
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
     select batch + entry, entry + 1, now(), $1, false, $3, 0, '{}'
     from unnest($2::bigint[]) as batch cross join generate_series(0, $4 - 1) as entry`,
    [brandId, ids, name, BATCH_ENTRIES],
  )
  return ids
}

/** The events that some work reads, in all weeks. Those that the connection read before may still be counted. */
async function eventsRead(work: (tx: Db) => Promise<unknown>): Promise<number> {
  return database.asEngine(async (tx) => {
    const count = async (): Promise<number> => {
      const { rows } = await tx.query<{ read: number }>(
        String.raw`select sum(seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables where relname like 'events\_%'`,
      )
      return rows[0]?.read ?? 0
    }
    const earlier = await count()
    await work(tx)
    return (await count()) - earlier
  })
}

test('goals read the events of their batches, and no other purchase', async () => {
  const goals = [{ source: { kind: 'campaign', id: 1n }, goal: GOAL } as const]
  const query = { brandId, batchIds, names: ['purchase'], goals }
  const read = await eventsRead(async (tx) => findGoalDoers(tx, query))
  assert.ok(read <= PURCHASE_BATCHES * BATCH_ENTRIES, `${read} events were read`)
})

test('journeys read the events of their batches, and no other purchase', async () => {
  const query = { brandId, batchIds, names: ['purchase'] }
  const read = await eventsRead(async (tx) => loadBatchEvents(tx, query))
  assert.ok(read <= PURCHASE_BATCHES * BATCH_ENTRIES, `${read} events were read`)
})

test('the events of a person since an instant are read, and nobody else’s', async () => {
  const people = [{ profileId: 7n, since: Date.now() - 3_600_000 }]
  const query = { brandId, people, names: ['purchase'] }
  const read = await eventsRead(async (tx) => {
    assert.equal((await loadEventsSince(tx, query)).length, PURCHASE_BATCHES)
  })
  assert.ok(read <= 2 * PURCHASE_BATCHES, `${read} events were read`)
})

test('an event is counted once where its batch begins at the end of another', async () => {
  const { brandId: mine } = await brand()
  const first = BigInt(Date.now()) << 21n
  await database.query(
    `with batch as (
       insert into event_batches (brand_id, id, entries, attributes_seen)
       select $1, id, 1, '{}' from unnest($2::bigint[]) as id
     )
     insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
     select id, 1, now(), $1, false, 'view', 0, '{}' from unnest($2::bigint[]) as id`,
    [mine, [first, first + 1_024n]],
  )
  await catchUp(database, mine)
  assert.deepEqual(await findMiscounts(database, mine), [])
})
