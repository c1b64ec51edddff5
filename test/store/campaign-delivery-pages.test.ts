import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listCampaignDeliveries } from '../../src/store/campaigns/deliveries.ts'
import { type Db, withOwner } from '../../src/store/db.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { seedCrowdedPerson, seedDevicePairs } from '../support/subscriptions/device-pairs.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const DEVICES = 20_000
const PAGE = 100
/** Each device of a page, and the other device of its person, is looked up a few times. */
const ROWS_MAX = 12 * PAGE

const { brandId } = await brand()
await seedDevicePairs(database, brandId, DEVICES)

async function readOf(tx: Db, tables: readonly string[]): Promise<number> {
  let rows = 0
  for (const table of tables) rows += await rowsRead(tx, table)
  return rows
}

const NOTIFICATION_COLUMNS = `brand_id, id, platform, mode, state, content, send_at, expires_at, created_at, campaign_id,
  hand_over_seconds`

test('a page of the deliveries of a campaign reads its own rows and blocks, over all platforms', async () => {
  const ids = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
  await withOwner(url, async (owner) => {
    await owner.query('set session_replication_role = replica')
    await owner.query(
      `insert into notifications (${NOTIFICATION_COLUMNS})
       select $1, id, platform, 'all', 'sent', '{}', now(), now(), now(), 1, 60
       from unnest($2::uuid[], array['android', 'web']) as n (id, platform)`,
      [brandId, ids],
    )
    // Android devices are rows, browsers are bits of blocks.
    await owner.query(
      `insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at)
       select $1, $2, n, 'accepted', 1, now() from generate_series(1, $3::bigint, 2) as n`,
      [brandId, ids[0], DEVICES],
    )
    await owner.query(
      `insert into accepted_blocks (brand_id, notification_id, block, first_place, bits, at)
       select $1, $2, block, 0, decode(repeat('55', 128), 'hex'), now() from generate_series(0, ($3::bigint - 1) >> 10) as block`,
      [brandId, ids[1], DEVICES],
    )
  })
  const tables = ['deliveries', 'accepted_blocks', 'subscriptions', 'notifications']
  await database.asBrand(brandId, async (tx) => {
    for (const per of ['device', 'person'] as const) {
      const before = await readOf(tx, tables)
      const mark = { id: 9_999n, notificationId: ids[0] ?? '' }
      const list = { brandId, campaignId: 1n, state: 'accepted', per, after: mark, limit: PAGE } as const
      const rows = await listCampaignDeliveries(tx, list)
      assert.deepEqual([rows.length, rows[0]?.id, rows[0]?.platform], [PAGE, 10_000n, 'web'])
      assert.deepEqual(new Set(rows.map(({ id }) => id)).size, PAGE)
      assert.equal(rows.filter(({ isFirst }) => isFirst).length, per === 'device' ? PAGE : PAGE / 2)
      const read = (await readOf(tx, tables)) - before
      assert.ok(read <= ROWS_MAX, `${read} rows were read`)
    }
  })
})

test('a person with very many devices is compared with all of them once in a page', async () => {
  const { brandId: crowded } = await brand()
  await seedCrowdedPerson(database, crowded, DEVICES)
  const id = '00000000-0000-7000-8000-000000000003'
  await withOwner(url, async (owner) => {
    await owner.query('set session_replication_role = replica')
    await owner.query(
      `insert into notifications (${NOTIFICATION_COLUMNS})
       values ($1, $2, 'android', 'all', 'sent', '{}', now(), now(), now(), 1, 60)`,
      [crowded, id],
    )
    await owner.query(
      `insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at)
       select brand_id, $2, id, 'accepted', 1, now() from subscriptions where brand_id = $1 and tags <> '{}'`,
      [crowded, id],
    )
  })
  const tables = ['deliveries', 'accepted_blocks', 'subscriptions', 'notifications']
  await database.asBrand(crowded, async (tx) => {
    const before = await readOf(tx, tables)
    const list = { brandId: crowded, campaignId: 1n, state: 'accepted', per: 'person', limit: PAGE } as const
    const rows = await listCampaignDeliveries(tx, { ...list, after: null })
    const firstLate = BigInt(DEVICES * 0.9) + 1n
    assert.deepEqual([rows.length, rows[0]?.id], [PAGE, firstLate])
    assert.deepEqual(
      rows.filter(({ isFirst }) => isFirst).map((row) => row.id),
      [firstLate],
    )
    const read = (await readOf(tx, tables)) - before
    assert.ok(read <= 4 * DEVICES, `${read} rows were read`)
  })
})
