import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { purgeResults } from '../../src/store/campaigns/result-retention.ts'
import { foldResults, loadFigures } from '../../src/store/campaigns/results.ts'
import { purgeNotifications } from '../../src/store/push/notification-retention.ts'
import { figureLines, recountFigures } from '../support/campaigns/recount.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const DAY_MS = 86_400_000
const PEOPLE = 5

/** A campaign that finished so many days ago, with a goal whose time ended then, and rows of every kind. */
async function seedCampaign(brandId: number, finishedDays: number): Promise<bigint> {
  const { rows } = await database.query<{ id: bigint }>(
    `with made as (
       insert into campaigns (brand_id, name, state, document, created_by, launched_at, send_at, finished_at, goal_event,
         goal_until, created_at, updated_at)
       values ($1, 'Teas', 'sent', '{}', 'key:1', $2, $2, $2, 'purchase', $2, $2, $2) returning id
     ), notification as (
       insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, expires_at,
         created_at, finished_at, campaign_id)
       select $1, overlay(uuidv7()::text placing '01900000' from 1 for 8)::uuid, 'ios', 'all', '{}', 60, 'sent', $2, $2, $2,
         $2, id from made returning id
     )
     select made.id, notification.id as notification from made cross join notification`,
    [brandId, new Date(Date.now() - finishedDays * DAY_MS)],
  )
  const [row] = rows
  assert.ok(row !== undefined)
  const values = [brandId, row.id, new Date(Date.now() - finishedDays * DAY_MS)]
  const own = `(select id from notifications where brand_id = $1 and campaign_id = $2)`
  const each = `from generate_series(1, ${PEOPLE}) as n`
  for (const statement of [
    `insert into campaign_people (brand_id, campaign_id, profile_id, trial_group, planned_at, clicked_at)
     select $1, $2, n, n % 2, $3::timestamptz, case when n = 1 then $3::timestamptz end ${each}`,
    `insert into campaign_blocks (brand_id, campaign_id, block, first_place, trial_group, planned_at, bits)
     select $1, $2, n, 3, n % 2, $3::timestamptz, '\\x07' ${each}`,
    `insert into goal_people (brand_id, campaign_id, profile_id, trial_group, events, ltv)
     select $1, $2::bigint, n, n % 2, 1, 10 ${each} where $3::timestamptz is not null and n < 4`,
    `insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at, variant)
     select $1, ${own}, n, 'accepted', 1, $3::timestamptz, n % 2 ${each}`,
    `insert into receipts (brand_id, notification_id, subscription_id, kind, at)
     select $1, ${own}, n, 'received', $3::timestamptz ${each}`,
    `insert into conversions (brand_id, id, profile_id, at, ltv, campaign_id, notification_id, subscription_id, platform,
       variant)
     select $1, $2::bigint * 100 + n, n, $3::timestamptz, 10, $2, ${own}, n, 'ios', n % 2 ${each} where n < 4`,
  ])
    await database.query(statement, values)
  return row.id
}

async function rowsLeft(brandId: number, campaignId: bigint): Promise<readonly number[]> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::integer as count from campaign_people where brand_id = $1 and campaign_id = $2
     union all select count(*)::integer from campaign_blocks where brand_id = $1 and campaign_id = $2
     union all select count(*)::integer from goal_people where brand_id = $1 and campaign_id = $2
     union all select count(*)::integer from conversions where brand_id = $1 and campaign_id = $2`,
    [brandId, campaignId],
  )
  return rows.map(({ count }) => count)
}

async function purge(keptDays: number): Promise<void> {
  const now = Date.now()
  const bounds = { now, before: now - keptDays * DAY_MS, rowsMax: 2 }
  while ((await purgeNotifications(database, bounds)) + (await purgeResults(database, bounds)) > 0);
}

test('the rows about people of an old campaign go, round by round, and its figures stay', async () => {
  const { brandId } = await brand()
  const [old, recent] = [await seedCampaign(brandId, 40), await seedCampaign(brandId, 20)]
  const figures = await recountFigures(database, { brandId, campaignId: old })
  assert.ok(
    figures.includes('converted all : 3') &&
      figures.includes('people group 0: 8') &&
      figures.includes('receipts.received all : 5'),
  )

  await purge(30)
  assert.deepEqual(await rowsLeft(brandId, old), [0, 0, 0, 0])
  assert.deepEqual(await rowsLeft(brandId, recent), [PEOPLE, PEOPLE, 3, 3])
  for (const id of [old, recent]) {
    const source = { kind: 'campaign', id } as const
    assert.deepEqual(figureLines(await loadFigures(database, { brandId, source })), figures)
    await foldResults(database, 1_000)
    assert.deepEqual(figureLines(await loadFigures(database, { brandId, source })), figures)
  }
})

test('a campaign whose goal may still be reached by a late event keeps its people', async () => {
  const { brandId } = await brand()
  const id = await seedCampaign(brandId, 20)
  await purge(10)
  const [people, blocks, reached] = await rowsLeft(brandId, id)
  assert.deepEqual([people, blocks, reached], [PEOPLE, PEOPLE, 3])
})
