import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sha256 } from '../../src/runtime/crypto.ts'
import { runOnce } from '../../src/store/idempotency.ts'
import { purgeExpired } from '../../src/store/purge.ts'
import { takeHits } from '../../src/store/rate-limit.ts'
import { freshDatabase } from '../support/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

test('rounds of the purge forget everything that is stale, of every brand, and then find nothing', async () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  for (const { brandId } of [await brand(), await brand(), await brand()]) {
    await takeHits(database, { brandId, bucket: 'send', wanted: 1, limit: 1, windowMs: 60_000, now })
    await database.asBrand(brandId, async (tx) =>
      runOnce(tx, { brandId, key: 'k', requestHash: sha256(''), now }, async () => ({
        reply: 1,
        isKept: true,
      })),
    )
  }
  const round = { now: now + 86_400_000, rowsMax: 2 }
  assert.equal(await purgeExpired(database, round), 4)
  assert.equal(await purgeExpired(database, round), 2)
  assert.equal(await purgeExpired(database, round), 0)
})
