import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { JOURNEY_GOAL } from '../../src/rules/goals.ts'
import { GoalCalls, HOUR_MS, NOW } from '../support/campaigns/goals.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { assertDocumented } from '../support/reference/documented.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const goals = new GoalCalls(server)
const users = new UserCalls(server)

const SEND = { to: 'anywhere', title: 'Hello', message: 'World' }

/** An active journey of two sends, with a goal. */
async function journey(brand: TestBrand, fields: JsonObject = {}): Promise<string> {
  const body = {
    name: 'Teas',
    trigger: { event: 'signup' },
    steps: [
      { id: 'first', send: SEND },
      { id: 'second', send: SEND },
    ],
    goal: { event: 'purchase' },
    ...fields,
  }
  const headers = keyHeaders(brand)
  const made = await call(server.port, { path: '/api/v1/journeys', headers, body })
  assert.equal(made.status, 200, made.text)
  const id = isJsonObject(made.body['journey']) ? String(made.body['journey']['journey_id']) : ''
  const path = `/api/v1/journeys/${id}/activate`
  const active = await call(server.port, { method: 'POST', path, headers })
  assert.equal(active.status, 200, active.text)
  return id
}

type Sent = {
  readonly journeyId: string
  readonly userId: string
  readonly step: string
  readonly at: number
}

/** Writes the rows of a message of a step that a push service accepted. */
async function deliver({ brandId }: TestBrand, { journeyId, userId, step, at }: Sent): Promise<void> {
  await database.query(
    `with device as (
       select id, profile_id from subscriptions where brand_id = $1 and subscription_id = $3
     ), notification as (
       insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, expires_at,
         created_at, profile_id, journey_id, step)
       select $1, uuidv7(), 'android', 'send', '{}', 60, 'sent', $5, $5, $5, profile_id, $2, $4 from device returning id
     )
     insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at)
     select $1, notification.id, device.id, 'accepted', 1, $5 from notification cross join device`,
    [brandId, journeyId, userId, step, new Date(at)],
  )
}

/** Five entries, of whom four were sent the first message and three the second one, over two versions. */
async function noteTimes({ brandId }: TestBrand, journeyId: string): Promise<void> {
  await database.query(
    `insert into journey_counts (brand_id, journey_id, version, step, did, count)
     values ($1, $2, 1, '', 'entered', 3), ($1, $2, 2, '', 'entered', 2), ($1, $2, 1, 'first', 'sent', 3),
       ($1, $2, 2, 'first', 'sent', 1), ($1, $2, 1, 'first', 'no_live_subscription', 1), ($1, $2, 1, 'second', 'sent', 3)`,
    [brandId, journeyId],
  )
}

async function read(brand: TestBrand, id: string): Promise<Answer> {
  const path = `/api/v1/journeys/${id}/results`
  const answer = await call(server.port, { path, headers: keyHeaders(brand) })
  if (answer.status === 200)
    assertDocumented({ method: 'GET', path: '/api/v1/journeys/{journey_id}/results' }, answer)
  return answer
}

async function resultsOf(brand: TestBrand, id: string): Promise<JsonObject> {
  const { status, body } = await read(brand, id)
  assert.equal(status, 200)
  const { results } = body
  assert.ok(isJsonObject(results))
  const { as_of, ...figures } = results
  assert.ok(!Number.isNaN(Date.parse(String(as_of))))
  return figures
}

test('200 with the goal events that count for a journey, by step and platform; an erasure takes a person out', async () => {
  const brand = await server.brand()
  for (const name of ['ada', 'bea']) await goals.addPerson(brand, name)
  const id = await journey(brand)
  const empty = { conversions: 0, people: 0, ltv: '0', rate: null }
  assert.deepEqual(await resultsOf(brand, id), { attributed: empty, steps: [], platforms: [] })

  await noteTimes(brand, id)
  const campaign = await goals.seed({ brand })
  await deliver(brand, { journeyId: id, userId: 'ada', step: 'first', at: NOW - 10 * HOUR_MS })
  await deliver(brand, { journeyId: id, userId: 'ada', step: 'second', at: NOW - 5 * HOUR_MS })
  await deliver(brand, { journeyId: id, userId: 'bea', step: 'first', at: NOW - 10 * HOUR_MS })
  await goals.deliver(brand, campaign, { userId: 'bea', at: NOW - 3 * HOUR_MS })
  await goals.buy(brand, 'ada', NOW - 11 * HOUR_MS)
  await goals.buy(brand, 'ada', NOW - 6 * HOUR_MS, 5)
  await goals.buy(brand, 'ada', NOW - 4 * HOUR_MS, 7)
  await goals.buy(brand, 'bea', NOW - 4 * HOUR_MS, 1)
  await goals.buy(brand, 'bea', NOW - 2 * HOUR_MS, 100)
  await goals.count(brand)
  assert.deepEqual(await resultsOf(brand, id), {
    attributed: { conversions: 3, people: 2, ltv: '13', rate: 0.4 },
    steps: [
      { step: 'first', conversions: 2, people: 2, ltv: '6', rate: 0.5 },
      { step: 'second', conversions: 1, people: 1, ltv: '7', rate: 0.333333 },
    ],
    platforms: [{ platform: 'android', conversions: 3, people: 2, ltv: '13' }],
  })

  await users.post(brand, 'delete', { nv: [{ userID: 'ada' }] })
  await catchUp(database, brand.brandId)
  const left = { conversions: 1, people: 1, ltv: '1' }
  assert.deepEqual(await resultsOf(brand, id), {
    attributed: { ...left, rate: 0.2 },
    steps: [{ step: 'first', ...left, rate: 0.25 }],
    platforms: [{ platform: 'android', ...left }],
  })
})

test('an event that was read before its delivery was stored counts with the next goal event of the person', async () => {
  const brand = await server.brand()
  await goals.addPerson(brand, 'ada')
  const id = await journey(brand)
  const counted = async (): Promise<unknown> => {
    await goals.count(brand)
    return Object((await resultsOf(brand, id))['attributed'])['conversions']
  }
  await goals.buy(brand, 'ada', NOW - 2 * HOUR_MS)
  assert.equal(await counted(), 0)
  await deliver(brand, { journeyId: id, userId: 'ada', step: 'first', at: NOW - 3 * HOUR_MS })
  assert.equal(await counted(), 0)
  await goals.buy(brand, 'ada', NOW - HOUR_MS)
  assert.equal(await counted(), 2)
})

test('the goal of a journey counts up to the end of three days after the message', async () => {
  const brand = await server.brand()
  for (const name of ['ada', 'bea']) await goals.addPerson(brand, name)
  const id = await journey(brand)
  const boughtAt = NOW - HOUR_MS
  const days = JOURNEY_GOAL.within_days * 24 * HOUR_MS
  await deliver(brand, { journeyId: id, userId: 'ada', step: 'first', at: boughtAt - days })
  await deliver(brand, { journeyId: id, userId: 'bea', step: 'first', at: boughtAt - days + 1_000 })
  await goals.buy(brand, 'ada', boughtAt, 5)
  await goals.buy(brand, 'bea', boughtAt, 7)
  await goals.count(brand)
  const { attributed } = await resultsOf(brand, id)
  assert.deepEqual(attributed, { conversions: 1, people: 1, ltv: '7', rate: null })
})

test('404 for the results of a journey of another brand, or of none', async () => {
  const brand = await server.brand()
  const id = await journey(brand)
  const other = await server.brand()
  for (const [caller, asked] of [
    [other, id],
    [brand, '999'],
    [brand, 'x'],
  ] as const)
    assert.equal((await read(caller, asked)).status, 404)
})
