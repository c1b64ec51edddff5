import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listAudience } from '../../src/store/push/audience-list.ts'
import type { AudienceQuery } from '../../src/store/push/audience-sql.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { seedDevicePairs } from '../support/subscriptions/device-pairs.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const DEVICES = 20_000
const PAGE = 100
/** Each device of a page, and the other device of its person, is looked up a few times. */
const ROWS_MAX = 12 * PAGE

const { brandId } = await brand()
await seedDevicePairs(database, brandId, DEVICES)

const AUDIENCE: AudienceQuery = {
  brandId,
  platform: ['android', 'web'],
  tag: null,
  filter: null,
  reachesVirtual: false,
  narrowing: { campaignId: 1n, hasUserList: false, exceptCampaignId: null, isLatestOnly: false },
}

test('a page of an audience reads its own devices, also before there are statistics', async () => {
  await database.asEngine(async (tx) => {
    for (const per of ['device', 'person'] as const) {
      const before = await rowsRead(tx, 'subscriptions')
      const page = await listAudience(tx, { query: AUDIENCE, per, afterId: 9_999n, limit: PAGE })
      assert.deepEqual([page.rows.length, page.rows[0]?.id, page.hasMore], [PAGE, 10_000n, true])
      const marked = page.rows.filter(({ isFirst }) => isFirst).length
      assert.equal(marked, per === 'device' ? PAGE : PAGE / 2)
      const read = (await rowsRead(tx, 'subscriptions')) - before
      assert.ok(read <= ROWS_MAX, `${read} rows were read`)
    }
  })
})

test('a small audience is found whole, after a look at the next devices alone', async () => {
  const last = `s${DEVICES}`
  const query: AudienceQuery = { ...AUDIENCE, tag: 'rare' }
  await database.query(
    `update subscriptions set tags = '{rare}' where brand_id = $1 and subscription_id = $2`,
    [brandId, last],
  )
  await database.asEngine(async (tx) => {
    const page = await listAudience(tx, { query, per: 'person', afterId: 0n, limit: PAGE })
    assert.deepEqual(
      page.rows.map(({ subscriptionId, isFirst }) => [subscriptionId, isFirst]),
      [[last, true]],
    )
  })
})
