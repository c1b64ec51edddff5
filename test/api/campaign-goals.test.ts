import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { GOAL_LIMITS } from '../../src/rules/goals.ts'
import { findGoalSweeps } from '../../src/store/campaigns/goal-sweeps.ts'
import { detachUnproved } from '../../src/store/people/unproved.ts'
import { saveReceipts } from '../../src/store/push/receipts.ts'
import { GoalCalls, type GoalCampaign, HOUR_MS, NOW } from '../support/campaigns/goals.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { startServer } from '../support/processes/server.ts'
import { askSeries, totalsIn } from '../support/series/series.ts'

const server = await startServer()
const { database } = server.deps
after(server.close)
const users = new UserCalls(server)

const goals = new GoalCalls(server)

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
  for (const name of ['ada', 'bea', 'cid']) await goals.addPerson(brand, name)
  const first = await goals.seed({ brand })
  const second = await goals.seed({ brand })
  await goals.deliver(brand, first, { userId: 'ada', at: NOW - 10 * HOUR_MS })
  await goals.deliver(brand, second, { userId: 'ada', at: NOW - 5 * HOUR_MS })
  await goals.deliver(brand, first, { userId: 'bea', at: NOW - 10 * HOUR_MS, group: -1 })
  await goals.buy(brand, 'ada', NOW - 12 * HOUR_MS)
  await goals.buy(brand, 'ada', NOW - 7 * HOUR_MS, 5)
  await goals.buy(brand, 'ada', NOW - 4 * HOUR_MS, 7)
  await goals.buy(brand, 'bea', NOW - 4 * HOUR_MS, 1)
  await goals.buy(brand, 'cid', NOW - 4 * HOUR_MS)
  await goals.count(brand)
  assert.deepEqual(await conversionsOf(brand), [`ada ${first.id} -7`, `ada ${second.id} -4`])
  const series = await askSeries(server.port, brand, { metric: 'goals', by: 'hour', group: 'campaign' })
  assert.deepEqual(totalsIn(series), { [`goals ${first.id}`]: 1, [`goals ${second.id}`]: 1 })
  assert.deepEqual(await reachedIn(brand), [
    `ada ${first.id} 2 12`,
    `ada ${second.id} 1 7`,
    `bea ${first.id} 1 1`,
  ])
})

test('a goal event that is told late counts up to 30 days after the end of the goal’s time', async () => {
  const brand = await server.brand()
  for (const name of ['ada', 'bea']) await goals.addPerson(brand, name)
  const [open, over] = [await goals.seed({ brand }), await goals.seed({ brand })]
  const late = GOAL_LIMITS.lateDays * 24 * HOUR_MS
  for (const [{ id }, until] of [
    [open, NOW - late + HOUR_MS],
    [over, NOW - late - HOUR_MS],
  ] as const) {
    await database.query(
      `update campaigns set state = 'sent', finished_at = $3, goal_until = $3 where brand_id = $1 and id = $2`,
      [brand.brandId, id, new Date(until)],
    )
  }
  await goals.deliver(brand, open, { userId: 'ada', at: NOW - 10 * HOUR_MS })
  await goals.deliver(brand, over, { userId: 'bea', at: NOW - 10 * HOUR_MS })
  for (const name of ['ada', 'bea']) await goals.buy(brand, name, NOW - HOUR_MS)
  await goals.count(brand)
  assert.deepEqual(await conversionsOf(brand), [`ada ${open.id} -1`])
  assert.deepEqual(await reachedIn(brand), [`ada ${open.id} 1 10`])
})

test('a goal that counts from the click needs a click before it', async () => {
  const brand = await server.brand()
  for (const name of ['ada', 'bea']) await goals.addPerson(brand, name)
  const campaign = await goals.seed({ brand, from: 'click' })
  await goals.deliver(brand, campaign, {
    userId: 'ada',
    at: NOW - 10 * HOUR_MS,
    clickedAt: NOW - 3 * HOUR_MS,
  })
  await goals.deliver(brand, campaign, { userId: 'bea', at: NOW - 10 * HOUR_MS })
  for (const name of ['ada', 'bea']) {
    await goals.buy(brand, name, NOW - 4 * HOUR_MS)
    await goals.buy(brand, name, NOW - 2 * HOUR_MS)
  }
  await goals.count(brand)
  assert.deepEqual(await conversionsOf(brand), [`ada ${campaign.id} -2`])
})

test('an event that was read before its delivery was stored counts when the campaign is sent', async () => {
  const brand = await server.brand()
  await goals.addPerson(brand, 'ada')
  const campaign = await goals.seed({ brand })
  await goals.buy(brand, 'ada', NOW - HOUR_MS)
  await goals.count(brand)
  await goals.deliver(brand, campaign, { userId: 'ada', at: NOW - 2 * HOUR_MS })
  assert.deepEqual(await conversionsOf(brand), [])
  await database.query(`update campaigns set state = 'sent', finished_at = now() where brand_id = $1`, [
    brand.brandId,
  ])
  await goals.count(brand)
  assert.deepEqual(await conversionsOf(brand), [`ada ${campaign.id} -1`])
  assert.deepEqual(await reachedIn(brand), [`ada ${campaign.id} 1 10`])
  assert.deepEqual(await findGoalSweeps(database, 100), [], 'the sweep is over')
})

test('a merge, its end and an erasure move and remove the figures', async () => {
  const brand = await users.mergingBrand()
  for (const name of ['ada', 'bea']) await goals.addPerson(brand, name)
  await users.post(brand, 'create', { nv: [{ userID: 'bea', email: 'b@x.example' }] })
  const campaign = await goals.seed({ brand })
  await goals.deliver(brand, campaign, { userId: 'ada', at: NOW - 10 * HOUR_MS, group: 1 })
  await goals.buy(brand, 'ada', NOW - 4 * HOUR_MS)
  await goals.buy(brand, 'bea', NOW - 3 * HOUR_MS)
  await goals.count(brand)
  const apart = { reached: [`ada ${campaign.id} 1 10`], conversions: [`ada ${campaign.id} -4`] }
  assert.deepEqual(await figuresOf(brand), apart)

  await users.post(brand, 'create', { nv: [{ userID: 'ada', email: 'b@x.example' }] })
  await catchUp(database, brand.brandId)
  await goals.count(brand)
  const one = (await conversionsOf(brand)).map((row) => row.replace(/^\w+/, ''))
  assert.deepEqual(one, [` ${campaign.id} -4`, ` ${campaign.id} -3`])
  assert.deepEqual(
    (await reachedIn(brand)).map((row) => row.replace(/^\w+/, '')),
    [` ${campaign.id} 2 20`],
  )

  assert.equal((await users.post(brand, 'unmerge', { userID: 'bea' })).status, 200)
  await catchUp(database, brand.brandId)
  await goals.count(brand)
  assert.deepEqual(await figuresOf(brand), apart)

  await users.post(brand, 'delete', { nv: [{ userID: 'ada' }] })
  await catchUp(database, brand.brandId)
  assert.deepEqual(await figuresOf(brand), { reached: [], conversions: [] })
  const { rows } = await database.query('select from campaign_members where brand_id = $1', [brand.brandId])
  assert.equal(rows.length, 0)
})

test('a device whose person becomes known after the send is one with the person, in the group that the person has', async () => {
  const brand = await server.brand()
  for (const name of ['ada', 'bea']) await goals.addPerson(brand, name)
  for (const name of ['x', 'y']) await goals.addDevice(brand, name)
  const campaign = await goals.seed({ brand })
  const at = NOW - 10 * HOUR_MS
  await goals.deliver(brand, campaign, { userId: 'x', at, group: 1 })
  await goals.deliver(brand, campaign, { userId: 'y', at, group: 1 })
  await goals.deliver(brand, campaign, { userId: 'bea', at, group: 0 })
  for (const name of ['ada', 'bea']) await goals.buy(brand, name, NOW - 4 * HOUR_MS)
  await goals.count(brand)
  assert.deepEqual(await reachedIn(brand), [`bea ${campaign.id} 1 10`])

  await goals.addDevice(brand, 'x', 'ada')
  await goals.addDevice(brand, 'y', 'bea')
  await goals.count(brand)
  assert.deepEqual(await figuresOf(brand), {
    reached: [`ada ${campaign.id} 1 10`, `bea ${campaign.id} 1 10`],
    conversions: [`ada ${campaign.id} -4`, `bea ${campaign.id} -4`],
  })
  assert.deepEqual(await groupsOf(brand), ['ada 1', 'bea 0'])
})

test('the messages on a device that changes hands count for its person of today', async () => {
  const brand = await server.brand()
  for (const name of ['ada', 'bea']) await goals.addPerson(brand, name)
  const campaign = await goals.seed({ brand })
  for (const userId of ['ada', 'bea'])
    await goals.deliver(brand, campaign, { userId, at: NOW - (userId === 'ada' ? 4 : 10) * HOUR_MS })
  for (const userId of ['ada', 'bea']) await goals.buy(brand, userId, NOW - 3 * HOUR_MS)
  await goals.count(brand)
  const counted = [`ada ${campaign.id} -3`, `bea ${campaign.id} -3`]
  assert.deepEqual((await conversionsOf(brand)).toSorted(), counted)
  await goals.addDevice(brand, 'ada', 'bea')
  await goals.count(brand)
  assert.deepEqual(await conversionsOf(brand), [`bea ${campaign.id} -3`])
  await goals.addDevice(brand, 'ada', 'ada')
  await goals.count(brand)
  assert.deepEqual((await conversionsOf(brand)).toSorted(), counted)
})

test('the messages on a device that was detached from its person count again when the person is proved', async () => {
  const brand = await server.brand()
  await goals.addPerson(brand, 'ada')
  const campaign = await goals.seed({ brand })
  await goals.deliver(brand, campaign, { userId: 'ada', at: NOW - 4 * HOUR_MS })
  await goals.buy(brand, 'ada', NOW - 3 * HOUR_MS)
  await goals.count(brand)
  const counted = [`ada ${campaign.id} -3`]
  assert.deepEqual(await conversionsOf(brand), counted)
  await database.query('update subscriptions set is_unproved = true where brand_id = $1', [brand.brandId])
  const { brandId } = brand
  assert.equal(await database.asEngine(async (tx) => detachUnproved(tx, { brandId, now: NOW })), 1)
  await goals.count(brand)
  assert.deepEqual(await conversionsOf(brand), [])
  await goals.addDevice(brand, 'ada', 'ada')
  await goals.count(brand)
  assert.deepEqual(await conversionsOf(brand), counted)
})

test('after the end of a merge both people are in their groups again, with their own clicks', async () => {
  const brand = await users.mergingBrand()
  for (const name of ['ada', 'bea']) await goals.addPerson(brand, name)
  await users.post(brand, 'create', { nv: [{ userID: 'bea', email: 'b@x.example' }] })
  const campaign = await goals.seed({ brand })
  for (const userId of ['ada', 'bea']) await goals.deliver(brand, campaign, { userId, at: NOW - HOUR_MS })
  await clickOn(brand, campaign, 'ada')
  const apart = ['ada 0 clicked', 'bea 0']
  assert.deepEqual(await groupsOf(brand), apart)
  await users.post(brand, 'create', { nv: [{ userID: 'ada', email: 'b@x.example' }] })
  await catchUp(database, brand.brandId)
  assert.equal((await groupsOf(brand)).length, 1)
  assert.equal((await users.post(brand, 'unmerge', { userID: 'bea' })).status, 200)
  await catchUp(database, brand.brandId)
  assert.deepEqual(await groupsOf(brand), apart)
})

test('a goal event of the same second that was read before the click counts from the click', async () => {
  const brand = await server.brand()
  await goals.addPerson(brand, 'ada')
  const campaign = await goals.seed({ brand, from: 'click' })
  await goals.deliver(brand, campaign, { userId: 'ada', at: NOW - HOUR_MS })
  await database.query(`update campaigns set state = 'sent', finished_at = now() where brand_id = $1`, [
    brand.brandId,
  ])
  await goals.buy(brand, 'ada', NOW)
  await goals.count(brand)
  assert.deepEqual(await conversionsOf(brand), [])
  await clickOn(brand, campaign, 'ada')
  await goals.count(brand)
  assert.deepEqual(await conversionsOf(brand), [`ada ${campaign.id} 0`])
})

async function clickOn({ brandId }: TestBrand, campaign: GoalCampaign, device: string): Promise<void> {
  const { rows } = await database.query<{ id: bigint }>(
    'select id from subscriptions where brand_id = $1 and subscription_id = $2',
    [brandId, device],
  )
  const { notificationId } = campaign
  const clicked = { notificationId, kind: 'clicked', button: null } as const
  const receipts = rows.map(({ id }) => ({ ...clicked, subscriptionId: id }))
  await database.asBrand(brandId, async (tx) => saveReceipts(tx, { brandId, receipts, now: NOW + 500 }))
}

/** The people of campaigns, with their groups and clicks. */
async function groupsOf({ brandId }: TestBrand): Promise<readonly string[]> {
  const { rows } = await database.query<{ line: string }>(
    `select concat_ws(' ', (select min(value) from profile_identities as i
         where i.brand_id = $1 and i.profile_id = p.profile_id and i.kind = 'user_id'), p.trial_group,
       case when p.clicked_at is not null then 'clicked' end) as line
     from campaign_members as p where brand_id = $1 order by 1`,
    [brandId],
  )
  return rows.map(({ line }) => line)
}

async function figuresOf(brand: TestBrand): Promise<object> {
  return { reached: await reachedIn(brand), conversions: await conversionsOf(brand) }
}
