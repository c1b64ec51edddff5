import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OLD_EVENTS_REASON } from '../../src/rules/event-files.ts'
import { postponeScan } from '../../src/store/journeys/scans.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const MINUTE_MS = 60_000
const NOW = Date.UTC(2026, 10, 15, 12)

test('the first wait of a scan is the shortest, however late it is; later waits grow up to a bound', async () => {
  const { brandId } = await brand()
  const { rows } = await database.query<{ id: bigint }>(
    `insert into journeys (brand_id, name, state, active_since, created_at, updated_at)
     values ($1, 'a', 'active', now(), now(), now()) returning id`,
    [brandId],
  )
  const journeyId = rows[0]?.id ?? assert.fail('no journey')
  const minutesAfter = async (hours: number): Promise<number> => {
    const scannedUntil = new Date(NOW - hours * 60 * MINUTE_MS)
    await database.query(
      'update journeys set scan_at = $3, scanned_until = $4 where brand_id = $1 and id = $2',
      [brandId, journeyId, new Date(NOW), scannedUntil],
    )
    const waits = { waitMsMin: 10 * MINUTE_MS, waitMsMax: 360 * MINUTE_MS }
    await postponeScan(database, { brandId, journeyId }, { reason: OLD_EVENTS_REASON, now: NOW, ...waits })
    const found = await database.query<{ at: number }>(
      'select scan_at as at from journeys where brand_id = $1 and id = $2',
      [brandId, journeyId],
    )
    return ((found.rows[0]?.at ?? 0) - NOW) / MINUTE_MS
  }
  assert.deepEqual([await minutesAfter(5), await minutesAfter(5), await minutesAfter(8)], [10, 300, 360])
})
