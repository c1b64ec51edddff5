import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { quarterOf } from '../../src/domain/campaigns/local-hours.ts'
import { followSetback } from '../../src/store/push/clock-setback.ts'
import { seedActivity } from '../support/campaigns/activity.ts'
import { acceptLatest } from '../support/campaigns/latest-device.ts'
import { freshDatabase } from '../support/database/database.ts'
import { claimOne, open, planDue, settle } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const HOUR_MS = 3_600_000
const BOUNDS = { leaseMs: 60_000, pauseMs: 60_000 }

/** When the chunks of a notification are ready. */
async function readyAt(brandId: number, id: string): Promise<readonly number[]> {
  const { rows } = await database.query<{ at: number }>(
    'select ready_at as at from chunks where brand_id = $1 and notification_id = $2 order by ready_at',
    [brandId, id],
  )
  return rows.map(({ at }) => at)
}

test('a clock that is set back takes retries along, and no hour of the day', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const retried = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const chunk = await claimOne(database)
  assert.ok(chunk !== null)
  const [recipient] = (await open(database, chunk))?.recipients ?? []
  assert.ok(recipient !== undefined)
  const retryAt = Date.now() + 5 * HOUR_MS
  await settle(database, chunk, [{ recipientId: recipient.id, state: 'retrying', retryAt }])

  await seedActivity(database, { brandId, userId: 'ann', quarters: [quarterOf(Date.now()) + 24 - 96] })
  const timing = { kind: 'best_hour', withinMs: 24 * HOUR_MS } as const
  const hourly = await acceptNotification(database, { brandId, target: { kind: 'all' }, timing })
  await database.query('update notifications set campaign_id = 1 where brand_id = $1 and id = $2', [
    brandId,
    hourly,
  ])
  // At noon of tomorrow on the clock of UTC, which is the brand's, and it is planned now, before the first zone.
  const noon = new Date(Date.now() + 24 * HOUR_MS).toISOString().replace(/T.*/, 'T12:00')
  const zonal = await acceptLatest(database, { brandId, campaignId: 2, wall: noon })
  await database.query('update notifications set plan_at = now() where brand_id = $1 and id = $2', [
    brandId,
    zonal,
  ])
  await planDue(database)
  const hours = async () => Promise.all([hourly, zonal].map(async (id) => readyAt(brandId, id)))
  const before = await hours()
  assert.deepEqual(
    before.map(({ length }) => length),
    [1, 1],
  )

  await database.query(
    `insert into delivery_clock (seen_at) values (clock_timestamp() + interval '1 hour')
     on conflict (is_only) do update set seen_at = excluded.seen_at`,
  )
  const movedMs = await followSetback(database, BOUNDS)
  assert.ok(movedMs > 0.9 * HOUR_MS)
  assert.deepEqual(await hours(), before)
  assert.deepEqual(await readyAt(brandId, retried), [retryAt - movedMs])
})
