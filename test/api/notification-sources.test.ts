import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { advanceJourney } from '../../src/pipeline/journeys/steps.ts'
import { JOURNEY_FOLD } from '../../src/rules/push.ts'
import { JourneyPlans } from '../../src/store/journeys/plans.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { seedDueEnrolments, seedJourney } from '../support/journeys/seeds.ts'
import { sendTwoSteps } from '../support/journeys/two-steps.ts'
import { memoryLog } from '../support/memory-log.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { codesIn, push } from '../support/push/calls.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

async function list(brand: TestBrand, query = '') {
  const path = `/api/v1/notifications${query}`
  const answer = await call(server.port, { path, headers: keyHeaders(brand) })
  return { answer, rows: objectsIn(answer.body['notifications']), folded: answer.body['journey_sends'] }
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** A brand with a push to one, a campaign with a test send, and three sends of a journey's step. */
async function busyBrand() {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'web' })
  await push(server.port, mine, { platform: 'web', body: { user_id: 'ann' } })
  const campaign = await campaigns.launched(mine, { platforms: ['web'] })
  await campaigns.act(mine, campaign, 'test', { user_ids: ['ann'] })
  const steps = [{ id: 'remind', send: { to: 'android', title: 'Hello', message: 'World' } }]
  const ref = await seedJourney(database, brandId, { trigger: { event: 'signup' }, steps })
  const devices = [1, 2, 3].map((at) => ({ address: `device-${brandId}-${at}` }))
  await seedDueEnrolments(database, { ...ref, devices, step: 'remind', wakeAt: Date.now() - 1_000 })
  await advanceJourney({ database, plans: new JourneyPlans(memoryLog()) }, ref)
  await drain(database)
  return { mine, campaign: Number(campaign), journey: Number(ref.journeyId) }
}

test('every notification says where it came from', async () => {
  const { mine, campaign, journey } = await busyBrand()
  const { rows } = await list(mine)
  const sources = rows.map(({ source }) => source)
  const step = { kind: 'journey', journey_id: journey, step: 'remind' }
  assert.deepEqual(
    new Set(sources.map((source) => JSON.stringify(source))),
    new Set(
      [
        { kind: 'endpoint', endpoint: '/api/v1/web/send' },
        { kind: 'campaign', campaign_id: campaign, is_test: false },
        { kind: 'campaign', campaign_id: campaign, is_test: true },
        step,
      ].map((source) => JSON.stringify(source)),
    ),
  )
  assert.equal(rows.length, 6)
  const journeySend = rows.find(({ source }) => isJsonObject(source) && source['kind'] === 'journey')
  const one = await call(server.port, {
    path: `/api/v1/notifications/${String(journeySend?.['id'])}`,
    headers: keyHeaders(mine),
  })
  assert.ok(isJsonObject(one.body['notification']))
  assert.deepEqual(one.body['notification']['source'], step)
})

test('the list leaves sources out, page by page', async () => {
  const { mine } = await busyBrand()
  const kinds = async (query: string) =>
    (await list(mine, query)).rows.map(({ source }) => (isJsonObject(source) ? source['kind'] : null))
  assert.deepEqual(new Set(await kinds('?source=endpoint,campaign')), new Set(['endpoint', 'campaign']))
  assert.deepEqual(await kinds('?source=journey'), ['journey', 'journey', 'journey'])
  assert.deepEqual(await kinds('?source=endpoint&limit=1'), ['endpoint'])
  const { answer } = await list(mine, '?source=journeys')
  assert.deepEqual([answer.status, codesIn(answer)], [400, ['field_invalid']])
})

test('the list is narrowed to one campaign or one journey, with other filters and page by page', async () => {
  const { mine, campaign, journey } = await busyBrand()
  const sources = async (query: string) =>
    (await list(mine, query)).rows.map(({ source }) => JSON.stringify(source))
  const step = JSON.stringify({ kind: 'journey', journey_id: journey, step: 'remind' })
  const [real, test_] = [false, true].map((is_test) =>
    JSON.stringify({ kind: 'campaign', campaign_id: campaign, is_test }),
  )
  assert.deepEqual(await sources(`?campaign_id=${campaign}`), [test_, real])
  assert.deepEqual(await sources(`?journey_id=${journey}`), [step, step, step])
  assert.deepEqual(await sources(`?journey_id=${journey}&platform=web`), [])
  assert.deepEqual(await sources(`?journey_id=${journey}&text=hello&limit=2`), [step, step])
  assert.deepEqual(await sources(`?campaign_id=${campaign}&source=journey`), [])
  assert.deepEqual(await sources(`?campaign_id=${campaign + 1_000}`), [])
  assert.deepEqual(await sources('?journey_id=9223372036854775807'), [])
  const first = await list(mine, `?journey_id=${journey}&limit=2`)
  const cursor = String(first.answer.body['next_cursor'])
  const rest = await list(mine, `?journey_id=${journey}&limit=2&cursor=${cursor}`)
  const ids = [...first.rows, ...rest.rows].map(({ id }) => id)
  assert.deepEqual([ids.length, new Set(ids).size], [3, 3])
  const strangers = await list(await server.brand(), `?campaign_id=${campaign}`)
  assert.deepEqual([strangers.answer.status, strangers.rows], [200, []])
})

test('journey sends fold into one line for each step and day, on the first page alone', async () => {
  const { mine, journey } = await busyBrand()
  const { brandId } = mine
  const { rows, folded } = await list(mine, '?fold=journeys')
  assert.equal(rows.length, 3)
  const { rows: days } = await database.query<{ day: string }>(
    `select to_char(min(created_at) at time zone 'UTC', 'YYYY-MM-DD') as day from notifications
     where brand_id = $1 and journey_id is not null`,
    [brandId],
  )
  const counts = {
    notifications: 3,
    audience: 3,
    accepted: 3,
    failed: 0,
    expired: 0,
    cancelled: 0,
    pending: 0,
  }
  assert.deepEqual(folded, [{ journey_id: journey, step: 'remind', day: days[0]?.day, ...counts }])
  const first = await list(mine, '?fold=journeys&limit=1')
  const second = await list(mine, `?fold=journeys&limit=1&cursor=${String(first.answer.body['next_cursor'])}`)
  assert.deepEqual([second.rows.length, second.folded], [1, undefined])
  const other = await list(await server.brand(), '?fold=journeys')
  assert.deepEqual(other.folded, [])
  const from = new Date(Date.now() - (JOURNEY_FOLD.daysMax + 1) * 86_400_000).toISOString()
  assert.equal((await list(mine, `?fold=journeys&from=${from}`)).answer.status, 400)
})

test('the fold has a line for each of two steps on each of two days, the newest day first', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await sendTwoSteps(database, brandId)
  await drain(database)
  // The oldest send of each step becomes one of the day before.
  const { rows: days } = await database.query<{ today: string; before: string }>(
    `with oldest as (
       select step, min(id::text)::uuid as id, min(created_at) as at from notifications where brand_id = $1 group by step
     ), moved as (
       update notifications as n set created_at = n.created_at - interval '1 day'
       from oldest where n.brand_id = $1 and n.id = oldest.id
     )
     select to_char(min(at) at time zone 'UTC', 'YYYY-MM-DD') as today,
       to_char((min(at) - interval '1 day') at time zone 'UTC', 'YYYY-MM-DD') as before from oldest`,
    [brandId],
  )
  const { folded } = await list(mine, '?fold=journeys')
  const lines = objectsIn(folded).map(({ day, step, notifications, accepted }) =>
    [day, step, notifications, accepted].join(' '),
  )
  const [{ today, before } = { today: '', before: '' }] = days
  assert.deepEqual(lines, [
    `${today} again 1 1`,
    `${today} remind 2 2`,
    `${before} again 1 1`,
    `${before} remind 1 1`,
  ])
})
