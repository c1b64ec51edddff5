import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Db, withOwner } from '../../src/store/db.ts'
import type { ChunkRef } from '../../src/store/push/chunks.ts'
import { endChunks } from '../../src/store/push/end-chunks.ts'
import { openChunks } from '../../src/store/push/open-chunks.ts'
import { QueueStatistics } from '../../src/store/push/queue-statistics.ts'
import { releaseSends } from '../../src/store/push/release.ts'
import { settleChunks } from '../../src/store/push/settle.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

// Autovacuum would look at the queue by itself, at any time.
before(async () => {
  await withOwner(url, async (owner) => owner.query('alter table chunks set (autovacuum_enabled = false)'))
})

const CHUNKS = 2_000
const ASKED = 100
/** Each statement may look at a chunk a few times: to lock it, to change it, to delete it. */
const READS_EACH = 10

/** Chunks of one notification, and so many of them to work on. */
async function seedChunks(): Promise<readonly ChunkRef[]> {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const target = { kind: 'user', userId: 'ann' } as const
  const id = await acceptNotification(database, { brandId, target })
  const { rows } = await database.query<ChunkRef>(
    `insert into chunks (brand_id, platform, notification_id, first_id, last_id, subscription_ids, remaining, is_bulk,
       ready_at, expires_at)
     select n.brand_id, n.platform, n.id, s.id, s.id, array[s.id], 1, false, now(), now() + interval '1 hour'
     from notifications as n join subscriptions as s using (brand_id) cross join generate_series(1, $3::integer)
     where n.brand_id = $1 and n.id = $2
     returning brand_id as "brandId", id, claims`,
    [brandId, id, CHUNKS],
  )
  await database.query(
    `update notifications set state = 'queued', plan_at = null, audience = $3, pending = $3 where brand_id = $1 and id = $2`,
    [brandId, id, CHUNKS],
  )
  return rows.slice(0, ASKED)
}

test('of a queue that was empty when autovacuum came, each of many chunks is found by its key', async () => {
  await seedChunks()
  await database.query('delete from chunks')
  await withOwner(url, async (owner) => owner.query('vacuum (analyze, truncate off) chunks'))
  const absent = [{ brandId: 1, id: 1n, claims: 1 }]
  for (const run of STATEMENTS) await run(absent)
  const refs = await seedChunks()
  await new QueueStatistics().keep(database, refs.length)
  for (const run of STATEMENTS) assert.ok((await run(refs)) <= READS_EACH * ASKED)
})

test('statistics are mended after claims of many chunks, and at most once a second', async () => {
  const world = { now: 0 }
  const statistics = new QueueStatistics(() => world.now)
  const made = []
  for (const [now, claimed] of [
    [0, 31],
    [0, 32],
    [999, 500],
    [1_000, 32],
  ] as const) {
    world.now = now
    await withOwner(url, async (owner) => owner.query('vacuum (analyze) chunks'))
    const expected = await rowsExpected()
    await statistics.keep(database, claimed)
    made.push((await rowsExpected()) !== expected)
  }
  assert.deepEqual(made, [false, true, false, true])
})

test('claims do not wait for somebody who has the lock of the queue', async () => {
  await withOwner(url, async (owner) => {
    await owner.query('vacuum (analyze) chunks')
    await owner.query('begin; lock table chunks in share update exclusive mode')
    await assert.rejects(new QueueStatistics().keep(database, 500), /lock timeout/)
    await owner.query('rollback')
  })
})

async function rowsExpected(): Promise<number> {
  const { rows } = await database.query<{ rows: number }>(
    `select reltuples as rows from pg_class where oid = 'chunks'::regclass`,
  )
  return Number(rows[0]?.rows)
}

type Run = (refs: readonly ChunkRef[]) => Promise<number>

/** Each gives the number of chunks that it read. */
const STATEMENTS: readonly Run[] = [
  async (refs) => database.asQueue(async (tx) => readsOf(tx, openChunks(tx, refs))),
  async (refs) =>
    database.asQueue(async (tx) =>
      readsOf(
        tx,
        settleChunks(
          tx,
          refs.map((chunk) => ({ chunk, outcomes: [], textsCut: 0 })),
        ),
      ),
    ),
  async (refs) =>
    database.asQueue(async (tx) =>
      readsOf(
        tx,
        endChunks(
          tx,
          refs.map((chunk) => ({ chunk, end: { state: 'expired', reason: 'expired' } as const })),
        ),
      ),
    ),
]

async function readsOf(tx: Db, work: Promise<unknown>): Promise<number> {
  await work
  return rowsRead(tx, 'chunks')
}

test('a release looks at the devices of each person and at no others, also before there are statistics', async () => {
  const { brandId } = await brand()
  const PEOPLE = 400
  await database.query(
    `with person as (
       insert into profiles (brand_id, created_at, updated_at) select $1, now(), now() from generate_series(1, $2::integer)
       returning id
     ), device as (
       insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, profile_id, state_since,
         created_at, registered_at, updated_at)
       select $1, 'person-' || id, 'android', 'person ' || id, sha256(('person ' || id)::bytea), id, now(), now(), now(), now()
       from person
     )
     insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, plan_at, expires_at,
       created_at, profile_id)
     select $1, uuidv7(), 'android', 'send', '{}', 60, 'scheduled', now(), now(), now() + interval '1 hour', now(), id from person`,
    [brandId, PEOPLE],
  )
  await database.asEngine(async (tx) => {
    assert.equal(await releaseSends(tx, { rowsMax: 1_000 }), PEOPLE)
    assert.ok((await rowsRead(tx, 'subscriptions')) <= 2 * PEOPLE)
  })
})
