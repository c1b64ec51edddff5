import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runHousekeeping } from '../../src/pipeline/housekeeping.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { createSealer } from '../../src/runtime/secrets/sealed.ts'
import { purgeNotifications } from '../../src/store/push/notification-retention.ts'
import { saveReceipts } from '../../src/store/push/receipts.ts'
import { freshDatabase } from '../support/database/database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { drain } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const DAY_MS = 86_400_000
const { database, brand, drop } = await freshDatabase()
after(drop)

/** A broadcast that went to three, with what one of them told; and one that is still to come. */
async function seedBrand() {
  const { brandId } = await brand()
  const subscriptions = await seedSubscriptions(database, { brandId, count: 3 })
  const over = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await drain(database)
  const told = { notificationId: over, subscriptionId: subscriptions[0] ?? 0n, button: null }
  const receipts = [
    { ...told, kind: 'received' },
    { ...told, kind: 'clicked' },
  ] as const
  await database.asBrand(brandId, async (tx) => saveReceipts(tx, { brandId, receipts, now: Date.now() }))
  const timing = { kind: 'after', delayMs: 3_600_000 } as const
  const ahead = await acceptNotification(database, { brandId, target: { kind: 'all' }, timing })
  return { brandId, over, ahead, receipts }
}

/** How many rows each table has of a brand. */
async function countRows(brandId: number): Promise<Readonly<Record<string, number>>> {
  const { rows } = await database.query<Readonly<Record<string, number>>>(
    `select (select count(*)::integer from notifications where brand_id = $1) as notifications,
       (select count(*)::integer from deliveries where brand_id = $1) as deliveries,
       (select count(*)::integer from receipts where brand_id = $1) as receipts`,
    [brandId],
  )
  return rows[0] ?? {}
}

const ALL = { notifications: 2, deliveries: 3, receipts: 2 }
const REST = { notifications: 1, deliveries: 0, receipts: 0 }

test('what finished long ago goes with all about it, round by round; the rest stays', async () => {
  const brands = [await seedBrand(), await seedBrand()]
  const early = { before: Date.now() - DAY_MS, rowsMax: 100 }
  assert.equal(await purgeNotifications(database, early), 0)
  for (const { brandId } of brands) assert.deepEqual(await countRows(brandId), ALL)

  const removed: number[] = []
  do removed.push(await purgeNotifications(database, { before: Date.now() + DAY_MS, rowsMax: 2 }))
  while (removed.at(-1) !== 0)
  assert.equal(
    removed.reduce((sum, rows) => sum + rows),
    12,
  )
  assert.ok(Math.max(...removed) <= 6, 'no round takes more than two of a kind')
  for (const { brandId } of brands) assert.deepEqual(await countRows(brandId), REST)
})

test('several that forget at once remove each row once', async () => {
  const { brandId } = await seedBrand()
  const one = { before: Date.now() + DAY_MS, rowsMax: 1 }
  let removed = 0
  for (let round = 0; round < 10; round += 1) {
    const each = await Promise.all([1, 2, 3].map(async () => purgeNotifications(database, one)))
    removed += each.reduce((sum, rows) => sum + rows)
  }
  assert.equal(removed, 6)
  assert.deepEqual(await countRows(brandId), REST)
})

test('what a device tells of a notification that is forgotten is not kept', async () => {
  const { brandId, receipts } = await seedBrand()
  while ((await purgeNotifications(database, { before: Date.now() + DAY_MS, rowsMax: 100 })) > 0);
  const kept = await database.asBrand(brandId, async (tx) =>
    saveReceipts(tx, { brandId, receipts, now: Date.now() }),
  )
  assert.equal(kept, 0)
})

test('the worker forgets by the setting', async () => {
  const { brandId } = await seedBrand()
  const log = memoryLog()
  const stop = new AbortController()
  const config = { notificationRetentionDays: 30, auditRetentionDays: 730 }
  const sealer = createSealer('a secret of 32 characters or more')
  const clock = { now: () => systemClock.now() + 31 * DAY_MS }
  const host = { signal: stop.signal, log, meters: loopMeters(new Metrics('test')) }
  const running = runHousekeeping({ database, clock, sealer, log, config }, host)
  await until(async () => (await countRows(brandId))['notifications'] === 1, { what: 'the purge' })
  stop.abort()
  await running
  assert.deepEqual(await countRows(brandId), REST)
})
