import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject } from '../../src/domain/values/json.ts'
import { decideCampaign } from '../../src/pipeline/campaigns/decisions.ts'
import { findDecisions } from '../../src/store/campaigns/decisions.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import { GoalCalls, HOUR_MS } from '../support/campaigns/goals.ts'
import { logEntries } from '../support/events/events.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { acceptContent, type Drained, drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)
const goals = new GoalCalls(server)

const PEOPLE = 150
const TRIAL = {
  platforms: ['android'],
  variants: [
    { name: 'A', weight: 1 },
    { name: 'B', weight: 1, content: { message: 'Try them' } },
  ],
  winner: { by: 'goal', test_percent: 80, after_hours: 1, otherwise: 'A' },
  goal: { event: 'purchase', from: 'delivery', within_days: 1 },
}

function textOf({ recipient, chunk }: Drained): string | undefined {
  return (chunk.contents.get(chunk.choices.get(recipient.id)?.key ?? '') ?? chunk.content).body
}

/** A campaign whose test is sent an hour ago, after which most people with variant B did the goal. */
async function testedByGoal() {
  const mine = await server.brand()
  const { brandId } = mine
  for (let at = 0; at < PEOPLE; at += 1) await seedSubscriptions(database, { brandId, userId: `u${at}` })
  const id = await campaigns.launched(mine, TRIAL)
  const tested = await drain(database, { judge: acceptContent })
  for (const [table, column] of [
    ['campaign_people', 'planned_at'],
    ['profiles', 'created_at'],
    ['profile_identities', 'profile_created_at'],
  ]) {
    await database.query(
      `update ${table} set ${column} = ${column} - interval '1 hour' where brand_id = $1`,
      [brandId],
    )
  }
  const withB = tested.filter((message) => textOf(message) === 'Try them')
  const { rows } = await database.query<{ userID: string }>(
    `select value as "userID" from profile_identities where brand_id = $1 and profile_id = any($2)`,
    [brandId, withB.slice(5).map(({ recipient }) => recipient.person)],
  )
  const bought = { event_name: 'purchase', attributes: {}, event_time: new Date().toISOString() }
  const answer = await logEntries(
    server.port,
    mine,
    rows.map(({ userID }) => ({ ...bought, userID })),
  )
  assert.equal(answer.status, 200, answer.text)
  return { mine, id, tested, ref: { brandId, campaignId: BigInt(id) } }
}

async function isDue(brandId: number): Promise<boolean> {
  const due = await findDecisions(database, { now: Date.now() + 100 * HOUR_MS, limit: 100 })
  return due.some((ref) => ref.brandId === brandId)
}

test('variants are compared by the goal when all events up to that moment are counted, and the better one wins', async () => {
  const { mine, id, tested, ref } = await testedByGoal()
  assert.equal(await isDue(mine.brandId), false, 'the goals are not counted yet')
  await goals.count(mine)
  assert.equal(await isDue(mine.brandId), true)
  await decideCampaign(database, ref)
  const rest = await drain(database, { judge: acceptContent })
  assert.deepEqual(new Set(rest.map(textOf)), new Set(['Try them']))
  assert.equal(rest.length + tested.length, PEOPLE)
  const path = `/api/v1/campaigns/${id}/results`
  const { results } = (await call(server.port, { path, headers: keyHeaders(mine) })).body
  const decision = isJsonObject(results) ? results['decision'] : null
  assert.ok(isJsonObject(decision))
  assert.deepEqual([decision['kind'], decision['variant']], ['winner', 'B'])
})

test('events that came after the moment of the comparison do not delay it', async () => {
  const { mine, ref } = await testedByGoal()
  await database.query(
    `update campaigns set decide_at = now() - interval '1 hour' where brand_id = $1 and id = $2`,
    [ref.brandId, ref.campaignId],
  )
  assert.equal(await isDue(mine.brandId), true)
})
