import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { loadActiveHours } from '../../src/store/series/active-hours.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const HOUR_MS = 3_600_000
const NOON = Date.UTC(2026, 10, 15, 12)

test('the people of an hour are counted as long as all their hashes fit, and estimated from the last one then', async () => {
  const { brandId } = await brand()
  for (const [hour, hashes] of [1, 255, 256, 2].entries()) {
    // The last hash is in the middle of all that there can be: as many people have one behind it.
    await database.query(
      `insert into active_hours (brand_id, starts_at, hashes)
       select $1, $2, array_agg(n - $3::bigint order by n) from generate_series(1, $3) as n`,
      [brandId, new Date(NOON + hour * HOUR_MS), hashes],
    )
  }
  const range = { brandId, fromAt: NOON, toAt: NOON + 3 * HOUR_MS }
  assert.deepEqual(await database.asBrand(brandId, async (tx) => loadActiveHours(tx, range)), [
    { startsAt: NOON, people: 1, isEstimated: false },
    { startsAt: NOON + HOUR_MS, people: 255, isEstimated: false },
    { startsAt: NOON + 2 * HOUR_MS, people: 510, isEstimated: true },
  ])
})
