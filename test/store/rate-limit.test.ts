import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { purgeBuckets, takeHits } from '../../src/store/rate-limit.ts'
import { freshDatabase } from '../support/database/database.ts'
import { runProcess } from '../support/processes/processes.ts'

const { url, database, brand, drop } = await freshDatabase()
after(drop)

const NOW = Date.parse('2026-01-01T00:00:00Z')
const ONE = { bucket: 'send', wanted: 1, limit: 2, windowMs: 60_000 }

test('2000 requests of four processes at once get exactly 500 places', async () => {
  const { brandId } = await brand()
  const caller = join(import.meta.dirname, 'rate-limit-caller.ts')
  const granted = await Promise.all(
    [1, 2, 3, 4].map(async () => Number(await runProcess(caller, [url, String(brandId), '500']))),
  )
  assert.equal(
    granted.reduce((sum, count) => sum + count, 0),
    500,
  )
})

test('a place is free again when its hit is a whole window old, and not a millisecond sooner', async () => {
  const { brandId } = await brand()
  const take = async (afterMs: number) => takeHits(database, { ...ONE, brandId, now: NOW + afterMs })
  assert.deepEqual(await take(0), { granted: 1, remaining: 1, freesInMs: 60_000 })
  assert.deepEqual(await take(10_000), { granted: 1, remaining: 0, freesInMs: 50_000 })
  assert.deepEqual(await take(59_999), { granted: 0, remaining: 0, freesInMs: 1 })
  assert.deepEqual(await take(60_000), { granted: 1, remaining: 0, freesInMs: 10_000 })
})

test('denied requests do not count', async () => {
  const { brandId } = await brand()
  const take = async (afterMs: number) => takeHits(database, { ...ONE, brandId, now: NOW + afterMs })
  await take(0)
  await take(0)
  for (const afterMs of [1, 30_000, 59_999]) assert.equal((await take(afterMs)).granted, 0)
  assert.deepEqual(await take(60_000), { granted: 1, remaining: 1, freesInMs: 60_000 })
})

test('a batch is granted as many places as are left', async () => {
  const { brandId } = await brand()
  const batch = { ...ONE, brandId, wanted: 7, limit: 10, now: NOW }
  assert.equal((await takeHits(database, batch)).granted, 7)
  assert.deepEqual(await takeHits(database, batch), { granted: 3, remaining: 0, freesInMs: 60_000 })
})

test('brands and buckets do not share places', async () => {
  const [one, other] = [await brand(), await brand()]
  const request = { ...ONE, limit: 1, now: NOW }
  assert.equal((await takeHits(database, { ...request, brandId: one.brandId })).granted, 1)
  assert.equal((await takeHits(database, { ...request, brandId: other.brandId })).granted, 1)
  assert.equal((await takeHits(database, { ...request, brandId: one.brandId, bucket: 'all' })).granted, 1)
  assert.equal((await takeHits(database, { ...request, brandId: one.brandId })).granted, 0)
})

test('a clock set back by an hour admits nobody extra and holds callers up for one window at most', async () => {
  const { brandId } = await brand()
  const take = async (now: number) => takeHits(database, { ...ONE, brandId, now })
  await take(NOW + 3_600_000)
  await take(NOW + 3_600_001)
  assert.deepEqual(await take(NOW), { granted: 0, remaining: 0, freesInMs: 60_000 })
  assert.deepEqual(await take(NOW + 60_000), { granted: 1, remaining: 1, freesInMs: 60_000 })
})

test('a lowered limit waits until enough hits have left', async () => {
  const { brandId } = await brand()
  const take = async (limit: number, afterMs: number) =>
    takeHits(database, { ...ONE, brandId, limit, now: NOW + afterMs })
  for (const afterMs of [0, 1_000, 2_000]) await take(3, afterMs)
  assert.deepEqual(await take(1, 3_000), { granted: 0, remaining: 0, freesInMs: 59_000 })
})

test('the purge forgets idle buckets and keeps live ones, even for a worker whose clock runs ahead', async () => {
  const { brandId } = await brand()
  await takeHits(database, { ...ONE, brandId, bucket: 'idle', now: NOW })
  await takeHits(database, { ...ONE, brandId, bucket: 'live' })
  await purgeBuckets(database, { now: Date.now() + 3_600_000, rowsMax: 1_000 })
  for (const table of ['rate_buckets', 'rate_hits']) {
    const { rows } = await database.query(`select bucket from ${table} where brand_id = $1`, [brandId])
    assert.deepEqual(rows, [{ bucket: 'live' }])
  }
})
