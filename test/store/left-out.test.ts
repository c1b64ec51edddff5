import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TRANSACTIONAL } from '../../src/rules/topics.ts'
import type { AudienceQuery } from '../../src/store/push/audience-sql.ts'
import { countLeftOut } from '../../src/store/push/left-out.ts'
import { freshDatabase } from '../support/database/database.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const NOW = Date.UTC(2026, 10, 15, 12)

/** A brand whose people got one message today; nobody of them has opted out. */
async function seeded(cap: number | null) {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ada' })
  await database.asSystem(brandId, async (tx) =>
    tx.query('update brands set frequency_cap = $2 where id = $1', [brandId, cap]),
  )
  await database.query(
    `insert into frequency_days (brand_id, profile_id, day, notification_ids)
     select brand_id, profile_id, $2, array[gen_random_uuid()] from subscriptions where brand_id = $1`,
    [brandId, new Date(NOW).toISOString().slice(0, 10)],
  )
  const query: AudienceQuery = {
    brandId,
    platform: 'android',
    tag: null,
    filter: null,
    reachesVirtual: false,
  }
  return { query, topic: null, ignoresCap: false, now: NOW }
}

test('a cap leaves people out although nobody has opted out', async () => {
  const asked = await seeded(1)
  assert.deepEqual(await countLeftOut(database, asked), { optedOut: 0, overCap: 1, cap: 1 })
})

test('people below the cap are not left out', async () => {
  const asked = await seeded(2)
  assert.deepEqual(await countLeftOut(database, asked), { optedOut: 0, overCap: 0, cap: 2 })
})

test('without a cap, and for a message that passes it, nobody is over it', async () => {
  const nobody = { optedOut: 0, overCap: null, cap: null }
  assert.deepEqual(await countLeftOut(database, await seeded(null)), nobody)
  const asked = await seeded(1)
  assert.deepEqual(await countLeftOut(database, { ...asked, ignoresCap: true }), nobody)
  assert.deepEqual(await countLeftOut(database, { ...asked, topic: TRANSACTIONAL }), nobody)
})
