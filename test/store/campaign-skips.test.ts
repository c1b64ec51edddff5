import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { quarterOf } from '../../src/domain/campaigns/local-hours.ts'
import { skipAllDue } from '../../src/pipeline/push/skip-due.ts'
import { holdSending, resumeSending } from '../../src/store/push/sending-hold.ts'
import { skipDue } from '../../src/store/push/skip-due.ts'
import { seedActivity } from '../support/campaigns/activity.ts'
import { acceptLatest } from '../support/campaigns/latest-device.ts'
import { freshDatabase } from '../support/database/database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { anyContent } from '../support/push/content.ts'
import { drain, planDue } from '../support/push/drain.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { skipUntilHonolulu } from '../support/push/skip-zones.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)
afterEach(async () => resumeSending(database))

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

test('a campaign by each person’s own hour is skipped for the hours that passed, and sent in those to come', async () => {
  const { brandId } = await brand()
  const habits = { early: -30, late: 12 * 4 } as const
  const launchedAt = Date.now() - 10 * 3_600_000
  const ids = new Map<string, bigint | undefined>()
  for (const [userId, ahead] of Object.entries(habits)) {
    const [id] = await seedSubscriptions(database, { brandId, userId })
    ids.set(userId, id)
    await seedActivity(database, { brandId, userId, quarters: [quarterOf(Date.now()) + ahead - 2 * 96] })
  }
  const timing = { kind: 'best_hour', withinMs: 24 * 3_600_000 } as const
  const content = anyContent({ ttlSeconds: 86_400 })
  const accept = async (campaignId: number) => {
    const target = { kind: 'all' } as const
    const id = await acceptNotification(database, { brandId, target, timing, content, now: launchedAt })
    await database.query('update notifications set campaign_id = $3 where brand_id = $1 and id = $2', [
      brandId,
      id,
      campaignId,
    ])
    return id
  }
  const begun = await accept(1)
  await planDue(database, launchedAt)
  const untouched = await accept(2)
  await holdSending(database)
  assert.equal((await skipAllDue({ database, log: memoryLog() })).notifications, 2)
  await resumeSending(database)

  assert.deepEqual(await drain(database), [])
  const drained = await drain(database, { now: launchedAt + 24 * 3_600_000 })
  assert.deepEqual(
    drained.map(({ recipient }) => recipient.id),
    [ids.get('late'), ids.get('late')],
  )
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: begun })),
    expectedCounts({ audience: 2, accepted: 1, cancelled: 1 }),
  )
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: untouched })),
    expectedCounts({ audience: 1, accepted: 1 }),
  )
})

test('a campaign to the device that was used last is skipped in the zones that passed, and sent in those to come', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann', timeZone: 'UTC' })
  const [islander] = await seedSubscriptions(database, {
    brandId,
    userId: 'ben',
    timeZone: 'Pacific/Honolulu',
  })
  const wall = new Date(Date.now() - 1_800_000).toISOString().slice(0, 19)
  const accept = async (campaignId: number) => acceptLatest(database, { brandId, campaignId, wall })
  const begun = await accept(1)
  // The devices of all zones are listed at the beginning, before the first zone has its hour.
  await planDue(database, Date.now() - 15 * 3_600_000)
  await planDue(database)
  const untouched = await accept(2)
  await skipUntilHonolulu(database, [islander, islander])
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: begun })),
    expectedCounts({ audience: 2, accepted: 1, cancelled: 1 }),
  )
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: untouched })),
    expectedCounts({ audience: 1, accepted: 1 }),
  )
})

test('a page of what is skipped begins after the last notification of the page before, also one that goes on', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann', timeZone: 'UTC' })
  const wall = new Date(Date.now() - 1_800_000).toISOString().slice(0, 19)
  const accepted = [
    await acceptLatest(database, { brandId, campaignId: 1, wall }),
    await acceptLatest(database, { brandId, campaignId: 2, wall }),
  ].toSorted()
  const [one, two] = accepted
  const skip = async (afterId = FIRST_ID) => {
    const page = { brandId, state: 'queued', afterId, now: Date.now(), limit: 1 } as const
    return database.asEngine(async (tx) => skipDue(tx, page))
  }
  assert.deepEqual([await skip(), await skip(one), await skip(two)], [[one], [two], []])
})
