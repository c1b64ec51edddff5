import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SHARE } from '../../src/delivery/sender.ts'
import { takeThrottleShare } from '../../src/store/push/throttle.ts'
import { freshDatabase, type TestDatabase } from '../support/database/database.ts'
import { acceptNotification } from '../support/push/notifications.ts'

let fresh: TestDatabase
before(async () => {
  fresh = await freshDatabase()
})
after(async () => fresh.drop())

test('workers that ask at once get shares that follow each other without gap or overlap', async () => {
  const { database } = fresh
  const { brandId } = await fresh.brand()
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' }, perSecond: 100 })
  // Each worker is told its start from its own moment of asking. On a slow machine these moments are seconds apart, which is little
  // beside the shares.
  const ask = { brandId, id, wanted: 100_000, stretchMs: 200_000, aheadMs: 450_000, behindMs: 0 }
  const shares = await Promise.all(Array.from({ length: 4 }, async () => takeThrottleShare(database, ask)))
  const given = shares.filter(({ count }) => count > 0).toSorted((a, b) => a.startMs - b.startMs)
  assert.deepEqual(
    given.map(({ count }) => count),
    [20_000, 20_000, 20_000],
  )
  const starts = given.map(({ startMs }) => Math.round(startMs / 100_000) * 100_000)
  assert.deepEqual(starts, [0, 200_000, 400_000])
  const refused = shares.find(({ count }) => count === 0)
  assert.ok(refused !== undefined && refused.startMs > 450_000)
})

test('a share is never larger than what is wanted, nor smaller than one', async () => {
  const { database } = fresh
  const { brandId } = await fresh.brand()
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' }, perSecond: 1 })
  const ask = { brandId, id, wanted: 7, stretchMs: 100, aheadMs: 60_000, behindMs: 0 }
  assert.equal((await takeThrottleShare(database, ask)).count, 1)
  assert.equal((await takeThrottleShare(database, { ...ask, stretchMs: 60_000 })).count, 7)
})

test('a broadcast that fell behind makes up for no more than it is allowed to', async () => {
  const { database } = fresh
  const { brandId } = await fresh.brand()
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' }, perSecond: 100 })
  await database.query(
    `update notifications set throttled_until = clock_timestamp() - interval '1 minute' where brand_id = $1`,
    [brandId],
  )
  const { startMs, count } = await takeThrottleShare(database, { ...SHARE, brandId, id, wanted: 1_000 })
  assert.deepEqual([startMs, count], [-500, 200])
  assert.deepEqual([SHARE.behindMs, SHARE.stretchMs], [500, 2_000], 'decision 9 names both numbers')
})
