import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SEGMENT_LIMITS } from '../../src/rules/segments.ts'
import { claimSizes, listSizes, noteSize, purgeSizes } from '../../src/store/segments/sizes.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const DAY_MS = 86_400_000
const LEASE_MS = 60_000
const NOW = Date.UTC(2026, 10, 15, 12)

const { brandId } = await brand()
await database.asSystem(brandId, async (tx) =>
  tx.query(
    `insert into segments (brand_id, name, filter, created_at, updated_at) values ($1, 'all', '{}', now(), now())`,
    [brandId],
  ),
)

async function claimedAt(now: number): Promise<number> {
  return (await claimSizes(database, { now, count: 10, leaseMs: LEASE_MS })).length
}

test('a count that is not done can be claimed again when its lease ends, and one that is done cannot', async () => {
  assert.equal(await claimedAt(NOW), 1)
  assert.equal(await claimedAt(NOW + LEASE_MS - 1), 0)
  const [claimed] = await claimSizes(database, { now: NOW + LEASE_MS, count: 10, leaseMs: LEASE_MS })
  assert.ok(claimed !== undefined)
  await noteSize(database, { ...claimed, size: 3, now: NOW + LEASE_MS })
  assert.equal(await claimedAt(NOW + 5 * LEASE_MS), 0)
  assert.deepEqual(await listSizes(database, { ...claimed, limit: 10 }), [{ day: '2026-11-15', size: 3 }])
})

test('a size is kept for as many days as the history is long, and not a day longer', async () => {
  const keptMs = SEGMENT_LIMITS.sizeDaysKept * DAY_MS
  assert.equal(await purgeSizes(database, { now: NOW + keptMs, rowsMax: 100 }), 0)
  assert.equal(await purgeSizes(database, { now: NOW + keptMs + DAY_MS, rowsMax: 100 }), 1)
})
