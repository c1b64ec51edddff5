import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LIVE_LIMITS, OVERVIEW_PARTS } from '../../src/rules/live.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { documentOf } from '../support/journeys/journeys.ts'
import { apiOf, startJourney } from '../support/journeys/runs.ts'
import {
  type OpenLive,
  openLive,
  type ServerEvent,
  type TestStream,
  valueIn,
} from '../support/live/streams.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { idIn, push } from '../support/push/calls.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { openVirtualDesk, PATH } from '../support/subscriptions/virtual-desk.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

async function open(brand: TestBrand, given: OpenLive): Promise<TestStream> {
  const stream = await openLive(server.port, {
    ...given,
    headers: { ...keyHeaders(brand), ...given.headers },
  })
  after(() => stream.close())
  return stream
}

function numbersIn(event: ServerEvent): readonly unknown[] {
  const names = ['state', 'audience', 'accepted', 'failed', 'expired', 'cancelled', 'pending']
  return names.map((name) => valueIn(event, `progress.${name}`))
}

test('the progress of a notification reaches the final sums, with its errors by reason', async () => {
  const brand = await server.brand()
  const { brandId } = brand
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 5 })
  const id = idIn(await push(server.port, brand, { mode: 'all' }))
  const stream = await open(brand, { subjects: `notification:${id}` })
  const first = await stream.named('notification')
  assert.equal(first.data['subject'], `notification:${id}`)
  assert.equal(valueIn(first, 'progress.accepted'), 0)
  let at = 0
  await drain(database, {
    judge: () => {
      at += 1
      return at <= 2 ? { state: 'failed', reason: 'QuotaExceeded' } : {}
    },
  })
  const last = await stream.until((one) => valueIn(one, 'progress.state') === 'sent')
  assert.deepEqual(numbersIn(last), ['sent', 5, 3, 2, 0, 0, 0])
  assert.deepEqual(valueIn(last, 'progress.errors'), [{ state: 'failed', reason: 'QuotaExceeded', count: 2 }])
  assert.equal(valueIn(last, 'progress.are_errors_capped'), false)
  assert.equal(valueIn(last, 'progress.predicted_end'), null)
  assert.match(String(valueIn(last, 'progress.finished_at')), /^\d{4}-/)
})

test('several subjects come over one stream: a campaign, a journey, the overview and events', async () => {
  const brand = await server.brand()
  await seedSubscriptions(database, { brandId: brand.brandId, userId: 'ann', count: 2 })
  const journey = await startJourney(apiOf(server.port, brand), documentOf())
  const campaign = await campaigns.launched(brand, { platforms: ['android'] })
  const names = [`campaign:${campaign}`, `journey:${journey}`, 'overview', 'events']
  const stream = await open(brand, { subjects: [...names, 'overview'].join(',') })
  assert.deepEqual((await stream.named('open')).data['subjects'], names)
  await stream.named('listening')
  assert.equal(valueIn(await stream.named('journey'), 'counts.inside'), 0)
  await logEntries(server.port, brand, [entryOf({ userID: 'ann', event_name: 'seen live' })])
  const event = await stream.named('event')
  assert.deepEqual([valueIn(event, 'event.event_name'), valueIn(event, 'event.userID')], ['seen live', 'ann'])
  await drain(database)
  const last = await stream.until((one) => valueIn(one, 'progress.accepted') === 2)
  assert.equal(valueIn(last, 'progress.notifications.0.accepted'), 2)
  await catchUp(database, brand.brandId)
  const counted = await stream.until((one) => valueIn(one, 'overview.events.today') === 1)
  assert.deepEqual(valueIn(counted, 'overview.devices'), {
    live: 2,
    by_platform: { android: 2, ios: 0, web: 0 },
  })
  assert.deepEqual(Object.keys(Object(valueIn(counted, 'overview'))), Object.keys(OVERVIEW_PARTS))
})

test('the overview names what waits for a person: approvals, refused entries, type conflicts, troubled channels', async () => {
  const brand = await server.brand()
  const { brandId } = brand
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 1 })
  await seedSubscriptions(database, { brandId, userId: 'bob', count: 1 })
  const headers = keyHeaders(brand)
  await call(server.port, { method: 'PATCH', path: '/api/v1/brand', headers, body: { approval_above: 1 } })
  const asked = { kind: 'secret', scopes: ['push'] }
  const { body: made } = await call(server.port, { path: '/api/v1/brand/keys', headers, body: asked })
  const asker = { ...brand, secretKey: String(Object(made['key'])['api_key']) }
  const id = await campaigns.launched(asker, { platforms: ['android'], name: 'Spring' })
  await logEntries(server.port, brand, [{ event_name: 'x' }, entryOf()])
  await logEntries(server.port, brand, [entryOf({ attributes: { total: 'five', size: 1 } })])
  await logEntries(server.port, brand, [entryOf({ attributes: { total: 'six', size: 2 } })])
  await catchUp(database, brandId)
  await database.query(
    `insert into channels (brand_id, platform, facts, updated_at, paused_reason, paused_since, retry_at)
     values ($1, 'android', '{}', now(), 'SENDER_ID_MISMATCH', now(), now())`,
    [brandId],
  )
  await push(server.port, brand, { mode: 'all' })
  const stream = await open(brand, { subjects: 'overview' })
  const shown = await stream.named('overview')
  assert.equal(valueIn(shown, 'overview.approvals.waiting'), 1)
  assert.equal(String(valueIn(shown, 'overview.approvals.campaigns.0.campaign_id')), id)
  assert.equal(valueIn(shown, 'overview.approvals.campaigns.0.name'), 'Spring')
  assert.equal(valueIn(shown, 'overview.refused.last_24_hours'), 1)
  assert.equal(valueIn(shown, 'overview.type_conflicts.attributes'), 1, 'total came as a text, size did not')
  assert.equal(valueIn(shown, 'overview.channels.troubled.0.state'), 'paused')
  assert.equal(valueIn(shown, 'overview.channels.troubled.0.reason'), 'SENDER_ID_MISMATCH')
  assert.equal(valueIn(shown, 'overview.queue.is_held'), false)
  await stream.until((one) => Number(valueIn(one, 'overview.queue.age_seconds')) >= 1)
})

test('a reader that comes back with Last-Event-ID gets every event once, from the middle of a call too', async () => {
  const brand = await server.brand()
  const first = await open(brand, { subjects: 'events' })
  await first.named('listening')
  await logEntries(
    server.port,
    brand,
    [1, 2, 3].map((n) => entryOf({ attributes: { n } })),
  )
  const middle = await first.until((one) => numberOf(one) === 2)
  first.close()
  await logEntries(server.port, brand, [entryOf({ attributes: { n: 4 } })])
  const second = await open(brand, { subjects: 'events', headers: { 'last-event-id': middle.lastId } })
  assert.equal((await second.named('listening')).data['is_resumed'], true)
  await logEntries(server.port, brand, [entryOf({ attributes: { n: 5 } })])
  await second.until((one) => numberOf(one) === 5)
  assert.deepEqual(eventNumbers(second), [3, 4, 5])
  const third = await open(brand, { subjects: 'events', query: `&last_event_id=${middle.lastId}` })
  await third.until((one) => numberOf(one) === 5)
  assert.deepEqual(eventNumbers(third), [3, 4, 5])
})

function numberOf(one: ServerEvent): unknown {
  return valueIn(one, 'event.attributes.n')
}

function eventNumbers({ events }: TestStream): readonly unknown[] {
  return events.filter(({ event }) => event === 'event' || event === 'gap').map(numberOf)
}

test('events that a reader cannot be shown are told as a gap', async () => {
  const brand = await server.brand()
  const stream = await open(brand, { subjects: 'events' })
  await stream.named('listening')
  const entries = Array.from({ length: LIVE_LIMITS.tailEventsMax + 100 }, () => entryOf())
  await logEntries(server.port, brand, entries)
  assert.equal((await stream.named('gap')).data['skipped'], 100)
  assert.equal(eventNumbers(stream).length, LIVE_LIMITS.tailEventsMax + 1)
  const long = { 'last-event-id': `1-${BigInt(Date.now() - LIVE_LIMITS.catchUpMs - 1) << 21n}` }
  const late = await open(brand, { subjects: 'events', headers: long })
  assert.equal((await late.named('gap')).data['skipped'], null)
  await late.named('listening')
  assert.equal(eventNumbers(late).length, 1)
  const future = { 'last-event-id': `${2n ** 62n}-${BigInt(Date.now()) << 21n}` }
  const lost = await open(brand, { subjects: 'events', headers: future })
  await lost.named('gap')
  await lost.named('listening')
  await logEntries(server.port, brand, [entryOf({ userID: 'after' })])
  await lost.until((one) => valueIn(one, 'event.userID') === 'after')
})

test('a subject that cannot be read is refused: no such subject, no such id, another brand’s, too many', async () => {
  const [brand, other] = [await server.brand(), await server.brand()]
  await seedSubscriptions(database, { brandId: other.brandId, userId: 'ann', count: 1 })
  const id = idIn(await push(server.port, other, { mode: 'all' }))
  const campaign = await campaigns.made(other)
  const cases = [
    ['', 400, 'field_empty'],
    [',', 400, 'field_empty'],
    ['nothing', 400, 'field_invalid'],
    ['overview:1', 400, 'field_invalid'],
    ['campaign', 400, 'field_invalid'],
    [`notification:${id}`, 404, 'notification_not_found'],
    ['notification:1', 404, 'notification_not_found'],
    [`campaign:${campaign}`, 404, 'campaign_not_found'],
    ['campaign:99999999999999999999', 404, 'campaign_not_found'],
    ['journey:1', 404, 'journey_not_found'],
    [
      Array.from({ length: LIVE_LIMITS.subjectsMax + 1 }, (_, n) => `campaign:${n}`).join(),
      400,
      'field_invalid',
    ],
  ] as const
  for (const [subjects, status, code] of cases) {
    const answer = await call(server.port, {
      path: `/api/v1/live?subjects=${subjects}`,
      headers: keyHeaders(brand),
    })
    assert.deepEqual([answer.status, answer.body['code']], [status, code], subjects)
  }
})

test('the virtual devices come with their messages, and null where no sandbox runs', async () => {
  const virtual = await openVirtualDesk()
  after(virtual.close)
  const brand = await virtual.server.brand()
  const { subscription_id: id } = await virtual.make(brand, { kind: 'android', user_id: 'ann' })
  const headers = keyHeaders(brand)
  const stream = await openLive(virtual.server.port, { subjects: 'virtual_devices', headers })
  after(() => stream.close())
  const first = await stream.named('virtual_devices')
  assert.deepEqual(valueIn(first, 'virtual_devices'), await virtual.devicesOf(brand))
  await push(virtual.server.port, brand, { body: { user_id: 'ann', title: 'Live' } })
  await stream.until(({ data }) => JSON.stringify(data).includes('"state":"shown"'))
  const [message] = await virtual.messagesOn(brand, id)
  await virtual.api(brand, 'POST', `${PATH}/${String(id)}/tap`, { message_id: message?.['message_id'] })
  await stream.until(({ data }) => JSON.stringify(data).includes('"state":"clicked"'))

  const bare = await startServer({ hasSandbox: false })
  after(bare.close)
  const empty = await openLive(bare.port, {
    subjects: 'virtual_devices',
    headers: keyHeaders(await bare.brand()),
  })
  after(() => empty.close())
  assert.equal(valueIn(await empty.named('virtual_devices'), 'virtual_devices'), null)
})
