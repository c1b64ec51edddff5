import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { planBroadcast } from '../../src/delivery/planner.ts'
import { claimPlans } from '../../src/store/push/planning.ts'
import { releaseSends } from '../../src/store/push/release.ts'
import { freshDatabase } from '../support/database/database.ts'
import { drain } from '../support/push/drain.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

test('an audience is cut into whole, disjoint ranges, with strangers between its ids', async () => {
  const [mine, other] = [await brand(), await brand()]
  const ids: bigint[] = []
  for (let round = 0; round < 3; round += 1) {
    ids.push(...(await seedSubscriptions(database, { brandId: mine.brandId, count: 833 })))
    await seedSubscriptions(database, { brandId: other.brandId, count: 50 })
  }
  const id = await acceptNotification(database, { brandId: mine.brandId, target: { kind: 'all' } })
  const drained = await drain(database)
  assert.deepEqual(
    drained.map(({ recipient }) => recipient.id).toSorted((a, b) => Number(a - b)),
    ids,
  )
  assert.deepEqual(
    countsOf(await report(database, { brandId: mine.brandId, id })),
    expectedCounts({ audience: 2499, accepted: 2499 }),
  )
})

test('a broadcast is planned once, whoever else claims it, and again only when its planner is lost', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, count: 3 })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  const now = Date.now() + 1_000
  const claims = await Promise.all(
    [1, 2, 3].map(async () => claimPlans(database, { count: 5, leaseMs: 10_000, now })),
  )
  const [lost, ...others] = claims.flat()
  assert.ok(lost !== undefined)
  assert.equal(others.length, 0)
  const [again] = await claimPlans(database, { count: 5, leaseMs: 10_000, now: now + 10_000 })
  assert.ok(again !== undefined)
  await planBroadcast(database, lost)
  assert.deepEqual((await report(database, { brandId, id })).audience, 3)
  await planBroadcast(database, again)
  await planBroadcast(database, again)
  assert.equal((await drain(database)).length, 3)
})

test('schedules to one subscriber are released once, by several planners at once', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 2 })
  const target = { kind: 'user', userId: 'ann' } as const
  const timing = { kind: 'after', delayMs: 60_000 } as const
  for (let made = 0; made < 30; made += 1) await acceptNotification(database, { brandId, target, timing })
  const now = Date.now() + 120_000
  const released = await Promise.all([1, 2, 3].map(async () => releaseSends(database, { rowsMax: 50, now })))
  assert.equal(
    released.reduce((sum, count) => sum + count),
    30,
  )
  assert.equal((await drain(database, { now })).length, 60)
})
