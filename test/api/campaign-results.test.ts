import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CampaignCalls, campaignIn } from '../support/campaigns/calls.ts'
import { GoalCalls, HOUR_MS, NOW } from '../support/campaigns/goals.ts'
import { logEntries } from '../support/events/events.ts'
import { startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'

const server = await startServer()
const { database } = server.deps
after(server.close)
const campaigns = new CampaignCalls(server)
const goals = new GoalCalls(server)

const WHERE = [{ attribute: 'kind', is: 'eq', value: 'green' }]

test('the results of a campaign have the rate of each platform over its accepted messages', async () => {
  const brand = await server.brand()
  await goals.addPerson(brand, 'ada')
  const campaign = await goals.seed({ brand })
  await goals.deliver(brand, campaign, { userId: 'ada', at: NOW - 5 * HOUR_MS })
  for (const ltv of [5, 7]) await goals.buy(brand, 'ada', NOW - (ltv - 4) * HOUR_MS, ltv)
  await goals.count(brand)
  const platforms = async () =>
    Object((await campaigns.results(brand, String(campaign.id))).body['results'])['platforms']
  const found = { platform: 'android', conversions: 2, people: 1, ltv: '12' }
  assert.deepEqual(await platforms(), [{ ...found, accepted: 0, rate: null }])
  await database.query('update notifications set audience = 4, accepted = 4 where brand_id = $1', [
    brand.brandId,
  ])
  assert.deepEqual(await platforms(), [{ ...found, accepted: 4, rate: 0.25 }])
})

test('a goal with where counts only the events with these attributes', async () => {
  const brand = await server.brand()
  for (const name of ['ada', 'bea']) await goals.addPerson(brand, name)
  const id = await campaigns.launched(brand, {
    platforms: ['android'],
    goal: { event: 'purchase', where: WHERE, from: 'delivery', within_days: 1 },
  })
  await drain(database)
  const event_time = new Date().toISOString()
  const bought = { event_name: 'purchase', event_time, ltv: 3 }
  const answer = await logEntries(server.port, brand, [
    { ...bought, userID: 'ada', attributes: { kind: 'green' } },
    { ...bought, userID: 'bea', attributes: { kind: 'black' } },
  ])
  assert.equal(answer.status, 200, answer.text)
  await goals.count(brand)
  const results = Object((await campaigns.results(brand, id)).body['results'])
  assert.deepEqual(results.attributed, { conversions: 1, people: 1, ltv: '3', rate: 0.5 })
})

test('a duplicate keeps the variants, the holdout, the winner and the goal', async () => {
  const brand = await server.brand()
  const measured = {
    variants: [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 2, content: { message: 'Try them' } },
    ],
    holdout_percent: 5,
    winner: { by: 'goal', test_percent: 20, after_hours: 4, confidence: 0.9, otherwise: 'A' },
    goal: { event: 'purchase', where: WHERE, from: 'click', within_days: 3 },
  }
  const id = await campaigns.made(brand, measured)
  const copy = campaignIn(await campaigns.act(brand, id, 'duplicate'))
  assert.notEqual(String(copy['campaign_id']), id)
  for (const [field, value] of Object.entries(measured)) assert.deepEqual(copy[field], value, field)
})
