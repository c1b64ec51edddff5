import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ChunkCommits } from '../../src/delivery/chunk-commits.ts'
import { type Db, withOwner } from '../../src/store/db.ts'
import { cancelNotification } from '../../src/store/push/cancel.ts'
import { pauseChannel } from '../../src/store/push/channels.ts'
import { type ClaimedChunk, claimChunks, reclaimChunk } from '../../src/store/push/chunks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { planDue } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const CLAIM = { workerId: 'w', count: 1_000, leaseMs: 600_000, sizes: 'any' } as const
const SINGLES = 60
/** The first goes alone, and the others share what they can; a slow machine may need a few transactions more. */
const TRANSACTIONS_MAX = 10

/** Single sends of a new brand, claimed. */
async function claimSingles(count: number) {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const target = { kind: 'user', userId: 'ann' } as const
  for (let made = 0; made < count; made += 1) await acceptNotification(database, { brandId, target })
  const chunks = (await claimChunks(database, CLAIM)).filter((chunk) => chunk.brandId === brandId)
  assert.equal(chunks.length, count)
  return { brandId, chunks }
}

/** The chunks of a large broadcast of a new brand, claimed. */
async function claimBroadcast() {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, count: 8_000 })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const chunks = (await claimChunks(database, CLAIM)).filter((chunk) => chunk.brandId === brandId)
  return { brandId, id, chunks }
}

/** How many chunks were given back, how many transactions did it, and the waits of the chunks in ms. */
async function givenBack(brandId: number) {
  const { rows } = await database.query<{ chunks: number; transactions: number; waits: readonly number[] }>(
    `select count(*)::integer as chunks, count(distinct xmin::text)::integer as transactions,
       array_agg((extract(epoch from ready_at - clock_timestamp()) * 1000)::integer order by ready_at) as waits
     from chunks where brand_id = $1 and leased_by is null`,
    [brandId],
  )
  const [found] = rows
  assert.ok(found !== undefined)
  return found
}

test('single sends that are given back together share transactions, and each has its own wait', async () => {
  const { brandId, chunks } = await claimSingles(SINGLES)
  const [lost, ...held] = chunks
  assert.ok(lost !== undefined)
  await reclaimChunk(database, lost, { leaseMs: 600_000 })
  const commits = new ChunkCommits(database)
  await Promise.all(
    [lost, ...held].map(async (chunk, index) => commits.postpone({ chunk, waitMs: index * 1_000_000 })),
  )
  const { chunks: count, transactions, waits } = await givenBack(brandId)
  assert.equal(count, held.length)
  assert.ok(transactions <= TRANSACTIONS_MAX, `${transactions} transactions`)
  assert.deepEqual(
    waits.map((waitMs) => Math.ceil(waitMs / 1_000_000)),
    held.map((_, index) => index + 1),
  )
})

test('single sends of a paused channel share transactions too, and wait for its next probe', async () => {
  const { brandId, chunks } = await claimSingles(SINGLES)
  const pause = { brandId, platform: 'android', version: 0, reason: 'refused', pauseMs: 3_600_000 } as const
  await pauseChannel(database, pause)
  const commits = new ChunkCommits(database)
  await Promise.all(chunks.map(async (chunk) => commits.postponePaused(chunk, chunk)))
  const { chunks: count, transactions, waits } = await givenBack(brandId)
  assert.equal(count, SINGLES)
  assert.ok(transactions <= TRANSACTIONS_MAX, `${transactions} transactions`)
  assert.ok(waits.every((waitMs) => waitMs > 0))
})

test('single sends that cannot be sent end together, and their notifications have failed', async () => {
  const { brandId, chunks } = await claimSingles(SINGLES)
  const [lost, ...held] = chunks
  assert.ok(lost !== undefined)
  await reclaimChunk(database, lost, { leaseMs: 600_000 })
  const commits = new ChunkCommits(database)
  const end = { state: 'failed', reason: 'no_credentials' } as const
  await Promise.all(chunks.map(async (chunk) => commits.end(chunk, chunk, end)))
  const { rows } = await database.query<{ row: readonly unknown[]; transactions: number }>(
    `select jsonb_build_array(state, reason, failed, pending, count(*)) as row,
       count(distinct xmin::text)::integer as transactions
     from notifications where brand_id = $1 group by state, reason, failed, pending order by state`,
    [brandId],
  )
  assert.deepEqual(
    rows.map(({ row }) => row),
    [
      ['failed', 'no_credentials', 1, 0, held.length],
      ['queued', null, 0, 1, 1],
    ],
  )
  assert.ok((rows[0]?.transactions ?? 0) <= TRANSACTIONS_MAX, `${rows[0]?.transactions} transactions`)
})

test('dead subscriptions of single sends are retired together', async () => {
  const { brandId } = await brand()
  const ids = await seedSubscriptions(database, { brandId, count: SINGLES })
  const commits = new ChunkCommits(database)
  const facts = { reason: 'gone', registeredAt: Date.now() + 60_000, goneAt: null }
  await Promise.all(ids.map(async (id) => commits.retire(brandId, [{ ...facts, id }])))
  const { rows } = await database.query<{ state: string; count: number; transactions: number }>(
    `select state, count(*)::integer as count, count(distinct xmin::text)::integer as transactions
     from subscriptions where brand_id = $1 group by state`,
    [brandId],
  )
  const [gone, ...others] = rows
  assert.deepEqual([gone?.state, gone?.count, others.length], ['gone', SINGLES, 0])
  assert.ok((gone?.transactions ?? 0) <= TRANSACTIONS_MAX, `${gone?.transactions} transactions`)
})

test('single sends that are opened together are told apart, whatever became of each', async () => {
  const { brandId, chunks } = await claimSingles(5)
  const [, , cancelled, lost] = chunks
  assert.ok(cancelled !== undefined && lost !== undefined)
  await reclaimChunk(database, lost, { leaseMs: 600_000 })
  const id = cancelled.notificationId
  await database.asBrand(brandId, async (tx) => cancelNotification(tx, { brandId, id }))
  const commits = new ChunkCommits(database)
  // The first goes at once, alone; all others come while it is opened.
  const opened = await Promise.all(chunks.map(async (chunk) => commits.open(chunk)))
  assert.deepEqual(
    opened.map((chunk) => chunk && [chunk.isCancelled, chunk.recipients.length]),
    [[false, 1], [false, 1], [true, 0], null, [false, 1]],
  )
})

test('broadcasts whose chunks wait for a lock leave connections to single sends', async () => {
  const places = database.queueConnectionsMax / 2
  const broadcasts: Awaited<ReturnType<typeof claimBroadcast>>[] = []
  while (broadcasts.length < places) broadcasts.push(await claimBroadcast())
  const bulk = broadcasts.flatMap(({ chunks }) => chunks)
  assert.ok(bulk.length > database.queueConnectionsMax && bulk.every(({ isBulk }) => isBulk))
  const { chunks: singles } = await claimSingles(1)
  const [single] = singles
  assert.ok(single !== undefined)
  const commits = new ChunkCommits(database)
  const settling: Promise<unknown>[] = []
  await withOwner(url, async (owner) => {
    await owner.query('begin')
    for (const { brandId, id } of broadcasts)
      await owner.query('select from notifications where brand_id = $1 and id = $2 for update', [brandId, id])
    settling.push(...bulk.map(async (chunk) => settleNothing(commits, chunk)))
    await until(async () => (await countBlocked(owner)) === places, {
      what: 'settlements that wait for the locks',
    })
    const opened = await commits.open(single)
    assert.equal(opened?.recipients.length, 1)
    assert.equal(await settleNothing(commits, single), 'claimed')
    await owner.query('rollback')
  })
  await Promise.all(settling)
})

test('settlements of a broadcast that come together share a transaction, and each claim is told apart', async () => {
  const { brandId, chunks: bulk } = await claimBroadcast()
  const [first, lost, ...others] = bulk
  assert.ok(first !== undefined && lost !== undefined && others.length > 1)
  await reclaimChunk(database, lost, { leaseMs: 600_000 })
  const commits = new ChunkCommits(database)
  const states = await Promise.all(bulk.map(async (chunk) => settleNothing(commits, chunk)))
  assert.deepEqual(states, ['claimed', 'lost', ...others.map(() => 'claimed')])
  const { rows } = await database.query<{ transactions: number }>(
    `select count(distinct xmin::text)::integer as transactions from chunks where brand_id = $1 and id <> $2`,
    [brandId, lost.id],
  )
  // The first goes at once, alone; all others come while it runs.
  assert.equal(rows[0]?.transactions, 2)
})

async function settleNothing(commits: ChunkCommits, chunk: ClaimedChunk): Promise<unknown> {
  return commits.settle(chunk, { chunk, outcomes: [], textsCut: 0 })
}

async function countBlocked(owner: Db): Promise<number> {
  // A transaction sees the activity of its first look again, unless it asks for a new one.
  await owner.query('select pg_stat_clear_snapshot()')
  const { rows } = await owner.query<{ count: number }>(
    `select count(*)::integer from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.count ?? 0
}
