import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hearGoals, recountMerged, sweepGoal } from '../../src/pipeline/campaigns/goals.ts'
import { findGoalSweeps } from '../../src/store/campaigns/goal-sweeps.ts'
import { GOAL_READER } from '../../src/store/campaigns/goals.ts'
import { ensureReadersNow } from '../../src/store/events/readers.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { logEntries } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const server = await startServer()
const { port, deps } = server
const { database } = deps
after(server.close)
const users = new UserCalls(server)

const HOUR_MS = 3_600_000
const NOW = Math.floor(Date.now() / 1_000) * 1_000

type Seed = { readonly brand: TestBrand; readonly from?: 'delivery' | 'click'; readonly withinDays?: number }

/** A launched campaign with a goal, and its one notification; gives the ids of both. */
async function seedCampaign({ brand, from = 'delivery', withinDays = 1 }: Seed): Promise<Campaign> {
  const goal = { event: 'purchase', from, within_days: withinDays }
  const { rows } = await database.query<{ id: bigint; notificationId: string }>(
    `with made as (
       insert into campaigns (brand_id, name, state, document, created_by, launched_at, send_at, goal_event, created_at,
         updated_at)
       values ($1, 'Autumn', 'sending', $2, 'key:1', $3, $3, 'purchase', $3, $3) returning id
     )
     insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, expires_at,
       created_at, campaign_id)
     select $1, uuidv7(), 'android', 'all', '{}', 60, 'sending', $3, $3, $3, id from made
     returning campaign_id as id, id as "notificationId"`,
    [brand.brandId, JSON.stringify({ goal }), new Date(NOW - 20 * HOUR_MS)],
  )
  const [row] = rows
  assert.ok(row !== undefined)
  await ensureReadersNow(database, brand.brandId, [GOAL_READER])
  return row
}

type Campaign = { readonly id: bigint; readonly notificationId: string }

async function addPerson(brand: TestBrand, userId: string): Promise<void> {
  const body = { platform: 'android', token: `token-${userId}`, user_id: userId, subscription_id: userId }
  const answer = await call(port, { path: '/api/v1/subscriptions', headers: keyHeaders(brand), body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  // An event from before the creation of its person does not count, and the events here lie in the past.
  for (const [table, column] of [
    ['profiles', 'created_at'],
    ['profile_identities', 'profile_created_at'],
  ]) {
    await database.query(`update ${table} set ${column} = $2 where brand_id = $1`, [
      brand.brandId,
      new Date(BORN),
    ])
  }
}

const BORN = NOW - 48 * HOUR_MS

type Sent = {
  readonly userId: string
  readonly at: number
  readonly clickedAt?: number
  readonly group?: number
}

/** Writes the rows that delivery would write for one person: the outcome, the group, and the click. */
async function deliver(
  brand: TestBrand,
  campaign: Campaign,
  { userId, at, clickedAt, group = 0 }: Sent,
): Promise<void> {
  await database.query(
    `with device as (
       select id, profile_id from subscriptions where brand_id = $1 and subscription_id = $4
     ), planned as (
       insert into campaign_people (brand_id, campaign_id, profile_id, trial_group, planned_at)
       select $1, $2, profile_id, $6, $5 from device
     ), accepted as (
       insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at, variant)
       select $1, $3, id, 'accepted', 1, $5, $6::smallint from device where $6::smallint >= 0
     )
     insert into receipts (brand_id, notification_id, subscription_id, kind, at)
     select $1, $3, id, 'clicked', $7::timestamptz from device where $7 is not null`,
    [
      brand.brandId,
      campaign.id,
      campaign.notificationId,
      userId,
      new Date(at),
      group,
      clickedAt === undefined ? null : new Date(clickedAt),
    ],
  )
}

async function buy(brand: TestBrand, userID: string, at: number, ltv = 10): Promise<void> {
  const event_time = new Date(at).toISOString()
  const answer = await logEntries(port, brand, [
    { userID, event_name: 'purchase', attributes: {}, event_time, ltv },
  ])
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

/** Lets goals be counted in all events that are stored, in all sweeps and after all merges. */
async function countGoals({ brandId }: TestBrand): Promise<void> {
  await until(
    async () => {
      while (await hearGoals(database, brandId));
      const sweeps = (await findGoalSweeps(database, 100)).filter((sweep) => sweep.brandId === brandId)
      for (const sweep of sweeps) await sweepGoal(database, sweep)
      while ((await recountMerged(database)) > 0);
      const { rows } = await database.query(
        `select from event_batches as b join event_readers as r using (brand_id)
         where brand_id = $1 and reader = 'goals' and (b.tx, b.id) > (r.tx, r.batch_id)`,
        [brandId],
      )
      return rows.length === 0
    },
    { what: 'goals to be counted' },
  )
}

type Counted = { readonly userId: string | null; readonly campaignId: bigint; readonly at: number }

async function conversionsOf({ brandId }: TestBrand): Promise<readonly string[]> {
  const { rows } = await database.query<Counted>(
    `select min(i.value) as "userId", c.campaign_id as "campaignId", c.at from conversions as c
     left join profile_identities as i on i.brand_id = c.brand_id and i.profile_id = c.profile_id
     where c.brand_id = $1 group by c.id, c.campaign_id, c.at order by c.at, c.campaign_id`,
    [brandId],
  )
  return rows.map(({ userId, campaignId, at }) => `${userId} ${campaignId} ${(at - NOW) / HOUR_MS}`)
}

async function reachedIn({ brandId }: TestBrand): Promise<readonly string[]> {
  const { rows } = await database.query<{
    userId: string | null
    campaignId: bigint
    events: number
    ltv: string
  }>(
    `select min(i.value) as "userId", g.campaign_id as "campaignId", g.events, g.ltv::text as ltv from goal_people as g
     left join profile_identities as i on i.brand_id = g.brand_id and i.profile_id = g.profile_id
     where g.brand_id = $1 group by g.campaign_id, g.profile_id, g.events, g.ltv order by 1, 2`,
    [brandId],
  )
  return rows.map(({ userId, campaignId, events, ltv }) => `${userId} ${campaignId} ${events} ${ltv}`)
}

test('a goal event counts for the last campaign before it, and for everybody who was planned', async () => {
  const brand = await server.brand()
  for (const name of ['ada', 'bea', 'cid']) await addPerson(brand, name)
  const first = await seedCampaign({ brand })
  const second = await seedCampaign({ brand })
  await deliver(brand, first, { userId: 'ada', at: NOW - 10 * HOUR_MS })
  await deliver(brand, second, { userId: 'ada', at: NOW - 5 * HOUR_MS })
  await deliver(brand, first, { userId: 'bea', at: NOW - 10 * HOUR_MS, group: -1 })
  await buy(brand, 'ada', NOW - 12 * HOUR_MS)
  await buy(brand, 'ada', NOW - 7 * HOUR_MS, 5)
  await buy(brand, 'ada', NOW - 4 * HOUR_MS, 7)
  await buy(brand, 'bea', NOW - 4 * HOUR_MS, 1)
  await buy(brand, 'cid', NOW - 4 * HOUR_MS)
  await countGoals(brand)
  assert.deepEqual(await conversionsOf(brand), [`ada ${first.id} -7`, `ada ${second.id} -4`])
  assert.deepEqual(await reachedIn(brand), [
    `ada ${first.id} 2 12`,
    `ada ${second.id} 1 7`,
    `bea ${first.id} 1 1`,
  ])
})

test('a goal that counts from the click needs a click before it', async () => {
  const brand = await server.brand()
  for (const name of ['ada', 'bea']) await addPerson(brand, name)
  const campaign = await seedCampaign({ brand, from: 'click' })
  await deliver(brand, campaign, { userId: 'ada', at: NOW - 10 * HOUR_MS, clickedAt: NOW - 3 * HOUR_MS })
  await deliver(brand, campaign, { userId: 'bea', at: NOW - 10 * HOUR_MS })
  for (const name of ['ada', 'bea']) {
    await buy(brand, name, NOW - 4 * HOUR_MS)
    await buy(brand, name, NOW - 2 * HOUR_MS)
  }
  await countGoals(brand)
  assert.deepEqual(await conversionsOf(brand), [`ada ${campaign.id} -2`])
})

test('an event that was read before its delivery was stored counts when the campaign is sent', async () => {
  const brand = await server.brand()
  await addPerson(brand, 'ada')
  const campaign = await seedCampaign({ brand })
  await buy(brand, 'ada', NOW - HOUR_MS)
  await countGoals(brand)
  await deliver(brand, campaign, { userId: 'ada', at: NOW - 2 * HOUR_MS })
  assert.deepEqual(await conversionsOf(brand), [])
  await database.query(`update campaigns set state = 'sent', finished_at = now() where brand_id = $1`, [
    brand.brandId,
  ])
  await countGoals(brand)
  assert.deepEqual(await conversionsOf(brand), [`ada ${campaign.id} -1`])
  assert.deepEqual(await reachedIn(brand), [`ada ${campaign.id} 1 10`])
  assert.deepEqual(await findGoalSweeps(database, 100), [], 'the sweep is over')
})

test('a merge, its end and an erasure move and remove the figures', async () => {
  const brand = await users.mergingBrand()
  for (const name of ['ada', 'bea']) await addPerson(brand, name)
  await users.post(brand, 'create', { nv: [{ userID: 'bea', email: 'b@x.example' }] })
  const campaign = await seedCampaign({ brand })
  await deliver(brand, campaign, { userId: 'ada', at: NOW - 10 * HOUR_MS, group: 1 })
  await buy(brand, 'ada', NOW - 4 * HOUR_MS)
  await buy(brand, 'bea', NOW - 3 * HOUR_MS)
  await countGoals(brand)
  const apart = { reached: [`ada ${campaign.id} 1 10`], conversions: [`ada ${campaign.id} -4`] }
  assert.deepEqual(await figuresOf(brand), apart)

  await users.post(brand, 'create', { nv: [{ userID: 'ada', email: 'b@x.example' }] })
  await catchUp(database, brand.brandId)
  await countGoals(brand)
  const one = (await conversionsOf(brand)).map((row) => row.replace(/^\w+/, ''))
  assert.deepEqual(one, [` ${campaign.id} -4`, ` ${campaign.id} -3`])
  assert.deepEqual(
    (await reachedIn(brand)).map((row) => row.replace(/^\w+/, '')),
    [` ${campaign.id} 2 20`],
  )

  assert.equal((await users.post(brand, 'unmerge', { userID: 'bea' })).status, 200)
  await catchUp(database, brand.brandId)
  await countGoals(brand)
  assert.deepEqual(await figuresOf(brand), apart)

  await users.post(brand, 'delete', { nv: [{ userID: 'ada' }] })
  await catchUp(database, brand.brandId)
  assert.deepEqual(await figuresOf(brand), { reached: [], conversions: [] })
  const { rows } = await database.query('select from campaign_people where brand_id = $1', [brand.brandId])
  assert.equal(rows.length, 0)
})

async function figuresOf(brand: TestBrand): Promise<object> {
  return { reached: await reachedIn(brand), conversions: await conversionsOf(brand) }
}
