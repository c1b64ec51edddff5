import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fault } from '../../src/domain/fault.ts'
import { EVENT_LIMITS } from '../../src/rules/events.ts'
import { sha256 } from '../../src/runtime/secrets/crypto.ts'
import { claimEventIds } from '../../src/store/events/ids.ts'
import { listRejected, saveRejected } from '../../src/store/events/rejected-entries.ts'
import { runOnce } from '../../src/store/idempotency.ts'
import { purgeExpired } from '../../src/store/purge.ts'
import { takeHits } from '../../src/store/rate-limit.ts'
import { freshDatabase } from '../support/database/database.ts'

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

test('an event id and a refused entry are forgotten, and not shown, when their days are over, and not before', async () => {
  const now = Date.parse('2026-02-01T00:00:00Z')
  const { brandId } = await brand()
  const rejected = [{ index: 0, fault: fault('field_missing', 'event_name'), entry: '{}', identifiers: [] }]
  await database.asBrand(brandId, async (tx) => {
    await claimEventIds(tx, { brandId, ids: [{ source: '', eventId: 'e' }], now })
    await saveRejected(tx, { brandId, rejected, now })
  })
  const shown = async (since: number) =>
    database.asBrand(brandId, async (tx) =>
      listRejected(tx, { brandId, beforeId: 2n ** 62n, since, limit: 10 }),
    )
  assert.equal((await shown(now - 1)).rows.length, 1)
  assert.equal((await shown(now)).rows.length, 0)
  const { eventIdDays, rejectedDays } = EVENT_LIMITS
  const ends = [eventIdDays, rejectedDays].map((days) => now + days * 86_400_000)
  assert.equal(await purgeExpired(database, { now: Math.min(...ends) - 1, rowsMax: 10 }), 0)
  assert.equal(await purgeExpired(database, { now: Math.max(...ends), rowsMax: 10 }), 2)
})
