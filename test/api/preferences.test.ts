import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EVERYTHING, QUIET_CHOICE, TRANSACTIONAL } from '../../src/rules/topics.ts'
import type { TestBrand } from '../support/database/database.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'

const PERSON = '/api/v1/user/preferences'
const DEVICE = '/api/v1/subscriptions/d1/preferences'

const server = await startServer()
after(server.close)
let brand: TestBrand
const users = new UserCalls(server)

async function prepare(made: TestBrand): Promise<void> {
  brand = made
  for (const name of ['offers', 'orders']) await ask('/api/v1/topics', { body: { name, title: name } })
  await ask('/api/v1/user/create', { body: { nv: [{ userID: 'ann' }, { userID: 'bob' }] } })
  const device = { platform: 'android', token: 't1', subscription_id: 'd1', user_id: 'ann' }
  assert.equal((await ask('/api/v1/subscriptions', { body: device })).status, 200)
}

test.beforeEach(async () => prepare(await server.brand()))

type Call = { readonly body?: object; readonly method?: string; readonly of?: TestBrand }

const ask = async (path: string, { body, method, of = brand }: Call = {}): Promise<Answer> =>
  call(server.port, {
    path,
    headers: keyHeaders(of),
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  })
const put = async (path: string, body: object): Promise<Answer> => ask(path, { body, method: 'PUT' })
const optOutsIn = ({ body }: Answer): unknown => Object(body['preferences'])['opt_outs']
const topicsOn = ({ body }: Answer): unknown =>
  Object.fromEntries(
    Array.from(Object(Object(body['preferences'])['topics']), (row) => [Object(row).name, Object(row).is_on]),
  )
const refusalOf = ({ status, body }: Answer): readonly unknown[] => [status, body['code']]

test('200 reads and changes the preferences of a person; a list replaces the one before', async () => {
  const before = await ask(`${PERSON}?userID=ann`)
  assert.deepEqual(optOutsIn(before), [])
  assert.deepEqual(topicsOn(before), { offers: true, orders: true, [TRANSACTIONAL]: true })

  assert.deepEqual(optOutsIn(await put(PERSON, { userID: 'ann', opt_outs: ['offers'] })), ['offers'])
  assert.deepEqual(topicsOn(await ask(`${PERSON}?userID=ann`)), {
    offers: false,
    orders: true,
    [TRANSACTIONAL]: true,
  })
  const all = await put(PERSON, { userID: 'ann', opt_outs: [EVERYTHING] })
  assert.deepEqual(topicsOn(all), { offers: false, orders: false, [TRANSACTIONAL]: true })
  assert.deepEqual(optOutsIn(await ask(`${PERSON}?userID=bob`)), [])
  assert.deepEqual(optOutsIn(await put(PERSON, { userID: 'ann', opt_outs: [] })), [])
})

test('200 reads and changes those of a device, which are its own', async () => {
  assert.deepEqual(optOutsIn(await put(DEVICE, { opt_outs: ['orders'] })), ['orders'])
  assert.deepEqual(optOutsIn(await ask(DEVICE)), ['orders'])
  assert.deepEqual(optOutsIn(await ask(`${PERSON}?userID=ann`)), [])
  const { body } = await ask('/api/v1/subscriptions/d1')
  assert.deepEqual(Object(body['subscription'])['opt_outs'], ['orders'])
})

test('a device that registers again keeps its opt-outs', async () => {
  await put(DEVICE, { opt_outs: ['orders'] })
  const device = { platform: 'android', token: 't2', subscription_id: 'd1', user_id: 'bob' }
  await ask('/api/v1/subscriptions', { body: device })
  assert.deepEqual(optOutsIn(await ask(DEVICE)), ['orders'])
})

test('400 for transactional, an unknown topic and another brand’s; 404 for another brand’s person or device', async () => {
  const other = await server.brand()
  await ask('/api/v1/topics', { body: { name: 'theirs', title: 'Theirs' }, of: other })
  for (const [name, code] of [
    [TRANSACTIONAL, 'field_invalid'],
    ['nothing', 'topic_unknown'],
    ['theirs', 'topic_unknown'],
  ] as const) {
    assert.deepEqual(refusalOf(await put(PERSON, { userID: 'ann', opt_outs: [name] })), [400, code])
    assert.deepEqual(refusalOf(await put(DEVICE, { opt_outs: [name] })), [400, code])
  }
  assert.deepEqual(refusalOf(await put(PERSON, { userID: 'ann' })), [400, 'field_missing'])
  assert.deepEqual(refusalOf(await put(PERSON, { opt_outs: [] })), [400, 'field_missing'])
  assert.deepEqual(refusalOf(await ask(`${PERSON}?userID=ann`, { of: other })), [404, 'profile_not_found'])
  assert.deepEqual(refusalOf(await ask(DEVICE, { of: other })), [404, 'subscription_not_found'])
  const body = { userID: 'ann', opt_outs: [] }
  assert.deepEqual(refusalOf(await ask(PERSON, { body, method: 'PUT', of: other })), [
    404,
    'profile_not_found',
  ])
})

test('a merge takes the union, its undoing gives back, the export shows and the erasure removes', async () => {
  await prepare(await users.mergingBrand())
  await ask('/api/v1/user/create', { body: { nv: [{ userID: 'cat', email: 'cat@example.com' }] } })
  await put(PERSON, { userID: 'ann', opt_outs: ['offers'] })
  await put(PERSON, { userID: 'cat', opt_outs: ['orders'] })
  await ask('/api/v1/user/create', { body: { nv: [{ userID: 'ann', email: 'cat@example.com' }] } })
  for (const name of ['ann', 'cat']) {
    assert.deepEqual(optOutsIn(await ask(`${PERSON}?userID=${name}`)), ['offers', 'orders'])
  }
  const { body } = await ask('/api/v1/user/userdata?userID=ann')
  const profile = Object(body['profile'])
  assert.deepEqual(profile['opt_outs'], ['offers', 'orders'])
  assert.deepEqual(Object.keys(Object(profile['records'])['profiles'][0]['opt_outs']), ['offers', 'orders'])

  assert.equal((await ask('/api/v1/user/unmerge', { body: { userID: 'ann' } })).status, 200)
  assert.deepEqual(optOutsIn(await ask(`${PERSON}?userID=ann`)), ['offers'])
  assert.deepEqual(optOutsIn(await ask(`${PERSON}?userID=cat`)), ['orders'])

  await ask('/api/v1/user/delete', { body: { nv: [{ userID: 'ann' }] } })
  await ask('/api/v1/user/create', { body: { nv: [{ userID: 'ann' }] } })
  assert.deepEqual(optOutsIn(await ask(`${PERSON}?userID=ann`)), [])
})

const TEXT = { title: 'Hello', message: 'World' }

/** The reasons why a broadcast did, or did not, reach ann. */
async function whyAnn(push: object): Promise<readonly (readonly unknown[])[]> {
  const sent = await ask('/api/v1/android/broadcast/all', { body: { ...TEXT, ...push } })
  const { id } = Object(sent.body['notification'])
  await drain(server.deps.database)
  const { body } = await ask(`/api/v1/explain?user_id=ann&notification=${id}`)
  return Array.from(Object(Object(body['explanation'])['reasons']), (reason) => [
    Object(reason).code,
    Object(reason).message,
  ])
}

const sinceOf = ({ body }: Answer): string => String(Object(body['preferences']).topics[0].opted_out_at)
const sentence = (holder: string, since: string, topic: string): string =>
  `${holder} opted out of ${topic} at ${since}, so the message for d1 was not sent.`

test('explain says whose opt-out it was, of which topic, since when, and that it was taken back', async () => {
  const person = sinceOf(await put(PERSON, { userID: 'ann', opt_outs: ['offers'] }))
  const push = { topic: 'offers' }
  assert.deepEqual(await whyAnn(push), [['opted_out', sentence('The person', person, 'the topic offers')]])
  await put(PERSON, { userID: 'ann', opt_outs: [] })
  const device = sinceOf(await put(DEVICE, { opt_outs: [EVERYTHING] }))
  const all = 'everything but transactional messages'
  assert.deepEqual(await whyAnn(push), [['opted_out', sentence('The device d1', device, all)]])
  const sent = await ask('/api/v1/android/broadcast/all', { body: { ...TEXT, ...push } })
  await drain(server.deps.database)
  await put(DEVICE, { opt_outs: [] })
  const { id } = Object(sent.body['notification'])
  const { text } = await ask(`/api/v1/explain?user_id=ann&notification=${id}`)
  assert.match(text, /"code":"opted_out_before"/)
})

/** The reasons, with `TIME` in the place of instants. */
async function whyAnnAnyTime(fields: object): Promise<readonly (readonly string[])[]> {
  const reasons = await whyAnn(fields)
  return reasons.map((texts) => texts.map((text) => String(text).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME')))
}

test('explain says the quiet hours and the zone that held, and the frequency cap that was reached', async () => {
  const zone = '+05:30'
  const at = Temporal.Now.zonedDateTimeISO(zone)
  const clock = (hours: number): string => at.add({ hours }).toPlainTime().toString().slice(0, 5)
  await ask('/api/v1/subscriptions/d1', { body: { time_zone: zone }, method: 'PATCH' })
  const hours = { from: clock(-2), until: clock(2) }
  const set = async (choice: string): Promise<Answer> =>
    ask('/api/v1/brand', { body: { quiet_hours: { ...hours, [QUIET_CHOICE]: choice } }, method: 'PATCH' })
  assert.equal((await set('later')).status, 200)
  const words = `from ${hours.from} to ${hours.until} in ${zone}.`
  const push = { topic: 'offers' }
  assert.deepEqual(await whyAnnAnyTime(push), [
    ['quiet_later', `The message for d1 is sent when the quiet hours end that held at TIME: ${words}`],
  ])
  await set('drop')
  assert.deepEqual(await whyAnnAnyTime(push), [
    [
      'quiet_dropped',
      `The message for d1 was not sent at TIME, because it fell into the quiet hours: ${words}`,
    ],
  ])
  await ask('/api/v1/brand', { body: { quiet_hours: null, frequency_cap: 1 }, method: 'PATCH' })
  await whyAnn(push)
  const day = Temporal.Now.plainDateISO(zone).toString()
  assert.deepEqual(await whyAnn(push), [
    [
      'frequency_capped',
      `The person had already got as many notifications that day as the brand allows: 1 on ${day}.`,
    ],
  ])
})

test('400 for quiet hours that are no times of day, or begin and end at the same time', async () => {
  const good = { from: '22:00', until: '08:00', [QUIET_CHOICE]: 'later' }
  const set = async (change: object): Promise<Answer> =>
    ask('/api/v1/brand', { body: { quiet_hours: { ...good, ...change } }, method: 'PATCH' })
  const { body } = await set({})
  assert.deepEqual(Object(body['brand'])['quiet_hours'], good)
  for (const change of [
    { from: '8:00' },
    { until: '24:00' },
    { from: '08:00' },
    { [QUIET_CHOICE]: 'never' },
  ]) {
    assert.equal((await set(change)).status, 400, JSON.stringify(change))
  }
})
