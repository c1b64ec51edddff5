import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  listDevicesOf,
  type SubscriptionUpdate,
  saveSubscription,
} from '../../src/store/subscriptions/subscriptions.ts'
import { freshDatabase } from '../support/database/database.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

test('pages of a person’s devices follow each other without gap or repeat', async () => {
  const { brandId } = await brand()
  const ids = await seedSubscriptions(database, { brandId, userId: 'ann', count: 5 })
  await seedSubscriptions(database, { brandId, userId: 'bob' })
  const { rows: people } = await database.query<{ id: bigint }>(
    'select profile_id as id from subscriptions where brand_id = $1 and id = $2',
    [brandId, ids[0]],
  )
  const profileIds = people.map(({ id }) => id)
  const page = async (afterId: bigint) =>
    database.asBrand(brandId, async (tx) => listDevicesOf(tx, { brandId, profileIds, afterId, limit: 2 }))
  const seen: bigint[] = []
  for (let isMore = true; isMore && seen.length <= ids.length; ) {
    const { rows, hasMore } = await page(seen.at(-1) ?? 0n)
    seen.push(...rows.map(({ id }) => id))
    isMore = hasMore
  }
  assert.deepEqual(seen, ids)
})

test('only the brand that says whose device it is proves it; a change of tags does not', async () => {
  const { brandId } = await brand()
  const [id] = await seedSubscriptions(database, { brandId, userId: 'ann' })
  await database.query('update subscriptions set is_unproved = true where brand_id = $1 and id = $2', [
    brandId,
    id,
  ])
  const find = async () => {
    const { rows } = await database.query<{ key: string; profileId: bigint; isUnproved: boolean }>(
      `select subscription_id as key, profile_id as "profileId", is_unproved as "isUnproved" from subscriptions
       where brand_id = $1 and id = $2`,
      [brandId, id],
    )
    const [device] = rows
    assert.ok(device !== undefined)
    return device
  }
  const { key: subscriptionId, profileId } = await find()
  const change = async (update: SubscriptionUpdate) =>
    database.asBrand(brandId, async (tx) =>
      saveSubscription(tx, { brandId, subscriptionId, now: Date.now() }, update),
    )
  await change({ tags: ['vip'] })
  assert.equal((await find()).isUnproved, true)
  await change({ profileId })
  assert.equal((await find()).isUnproved, false)
})
