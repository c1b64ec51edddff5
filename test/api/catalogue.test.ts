import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { JsonObject } from '../../src/domain/values/json.ts'
import { CATALOGUE_LIMITS } from '../../src/rules/catalogue.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { webSubscription } from '../support/subscriptions/devices.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const users = new UserCalls(server)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

const ask = async (name: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  call(server.port, {
    path: `/api/v1/catalogue/${name}?${new URLSearchParams(query).toString()}`,
    headers: keyHeaders(brand),
  })
const rowsOf = ({ body }: Answer, name: string): readonly JsonObject[] => Array.from(Object(body[name]))
const valuesOf = (answer: Answer, name: string): readonly unknown[] =>
  rowsOf(answer, name).map(({ value, count }) => [value, count])
const namesOf = (answer: Answer): readonly unknown[] => rowsOf(answer, 'attributes').map(({ name }) => name)
const register = async (token: string, body: object): Promise<void> => {
  const path = '/api/v1/subscriptions'
  const made = await call(server.port, {
    path,
    headers: keyHeaders(brand),
    body: { platform: 'android', token, ...body },
  })
  assert.equal(made.status, 200, made.text)
}

test('200 lists the attributes of people with type, use and most frequent values', async () => {
  await users.post(brand, 'create', {
    nv: [
      { userID: 'a', user_attributes: { plan: 'gold', age: 30, address: { city: 'Ulm' } } },
      { userID: 'b', user_attributes: { plan: 'gold', age: 41 } },
      { userID: 'c', user_attributes: { plan: 'free' } },
    ],
  })
  const answer = await ask('attributes')
  assert.deepEqual([answer.status, answer.body['estimated']], [200, false], answer.text)
  const shown = rowsOf(answer, 'attributes').map(({ last_seen, ...row }) => {
    assert.equal(typeof last_seen, 'string')
    return row
  })
  assert.deepEqual(shown, [
    { name: 'address', type: 'Object', is_provisional: false, count: 1, values: [] },
    {
      name: 'age',
      type: 'Number',
      is_provisional: false,
      count: 2,
      values: [
        { value: 30, count: 1 },
        { value: 41, count: 1 },
      ],
    },
    {
      name: 'plan',
      type: 'String',
      is_provisional: false,
      count: 3,
      values: [
        { value: 'gold', count: 2 },
        { value: 'free', count: 1 },
      ],
    },
  ])
  assert.deepEqual(namesOf(await ask('attributes', { prefix: 'A' })), ['address', 'age'])
  const top = rowsOf(await ask('attributes', { prefix: 'plan', values: '1' }), 'attributes')
  assert.deepEqual(top[0]?.['values'], [{ value: 'gold', count: 2 }])
})

test('200 pages attributes by name', async () => {
  const names = Array.from({ length: 7 }, (_, at) => `n${at}`)
  const user_attributes = Object.fromEntries(names.map((name) => [name, 1]))
  await users.post(brand, 'create', { nv: [{ userID: 'a', user_attributes }] })
  const first = await ask('attributes', { limit: '4' })
  const second = await ask('attributes', { limit: '4', cursor: String(first.body['next_cursor']) })
  assert.deepEqual([...namesOf(first), ...namesOf(second)], names)
  assert.equal(second.body['next_cursor'], null)
})

test('200 lists the attributes of an event, and values that begin so in any case', async () => {
  await logEntries(server.port, brand, [
    entryOf({ event_name: 'bought', attributes: { sku: 'İstanbul-1', total: 5, paid: true } }),
    entryOf({ event_name: 'bought', attributes: { sku: 'istanbul-2', total: 5 } }),
    entryOf({ event_name: 'bought', attributes: { sku: '50%_off', total: 7 } }),
    entryOf({ event_name: 'viewed', attributes: { page: 'home' } }),
  ])
  await catchUp(database, brand.brandId)
  const attributes = rowsOf(await ask('attributes', { event_name: 'bought' }), 'attributes')
  assert.deepEqual(
    attributes.map(({ name, type, count }) => [name, type, count]),
    [
      ['paid', 'Boolean', 1],
      ['sku', 'String', 3],
      ['total', 'Number', 3],
    ],
  )
  const values = async (
    attribute: string,
    query: Readonly<Record<string, string>>,
  ): Promise<readonly unknown[]> =>
    valuesOf(await ask(`attributes/${attribute}/values`, { event_name: 'bought', ...query }), 'values')
  assert.deepEqual(await values('total', {}), [
    [5, 2],
    [7, 1],
  ])
  assert.equal((await values('sku', { prefix: 'IST' })).length, 2)
  assert.deepEqual(await values('sku', { prefix: '50%_' }), [['50%_off', 1]])
  assert.deepEqual(await values('sku', { prefix: '%' }), [])
  assert.deepEqual(await values('total', { limit: '1' }), [[5, 2]])
  assert.deepEqual(await values('nothing', {}), [])
  assert.deepEqual(await values('x%00', {}), [])
  assert.deepEqual(valuesOf(await ask('attributes/sku/values'), 'values'), [])
})

test('200 lists tags, languages, zones, app versions and browsers of live devices', async () => {
  await register('t1', {
    tags: ['vip', 'New'],
    language: 'en-GB',
    time_zone: 'Europe/Oslo',
    app_version: '2.0',
  })
  await register('t2', {
    tags: ['vip'],
    language: 'de',
    time_zone: 'Europe/Oslo',
    app_version: '1.9',
    user_id: 'a',
  })
  await register('t3', { tags: ['gone'], language: 'fr', browser: 'Firefox', subscription_id: 's3' })
  await call(server.port, {
    path: '/api/v1/subscriptions/s3/unsubscribe',
    method: 'POST',
    headers: keyHeaders(brand),
  })
  await users.post(brand, 'create', { nv: [{ userID: 'a', tags: ['vip', 'person'] }] })
  assert.deepEqual(valuesOf(await ask('tags'), 'tags'), [
    ['vip', 3],
    ['New', 1],
    ['person', 1],
  ])
  assert.deepEqual(valuesOf(await ask('tags', { prefix: 'n' }), 'tags'), [['New', 1]])
  assert.deepEqual(valuesOf(await ask('languages', { prefix: 'EN' }), 'languages'), [['en-GB', 1]])
  assert.deepEqual(valuesOf(await ask('time_zones'), 'time_zones'), [['Europe/Oslo', 2]])
  assert.equal(valuesOf(await ask('app_versions'), 'app_versions').length, 2)
  assert.deepEqual(valuesOf(await ask('browsers'), 'browsers'), [])
})

test('200 lists the browsers of live web subscriptions, and when each value was last seen', async () => {
  const began = Date.now()
  for (const [name, browser] of [
    ['w1', 'Firefox'],
    ['w2', 'Chrome'],
    ['w3', 'firefox mobile'],
  ] as const) {
    const body = { platform: 'web', subscription: webSubscription(), subscription_id: name, browser }
    const made = await call(server.port, { path: '/api/v1/subscriptions', headers: keyHeaders(brand), body })
    assert.equal(made.status, 200, made.text)
  }
  assert.deepEqual(valuesOf(await ask('browsers', { prefix: 'FIRE' }), 'browsers'), [
    ['Firefox', 1],
    ['firefox mobile', 1],
  ])
  for (const { last_seen } of rowsOf(await ask('browsers'), 'browsers'))
    assert.ok(Math.abs(Date.parse(String(last_seen)) - began) < 600_000, String(last_seen))
  await database.query(
    `update subscriptions set updated_at = '2026-01-02T03:04:05Z' where brand_id = $1 and browser = 'Chrome'`,
    [brand.brandId],
  )
  const [chrome] = rowsOf(await ask('browsers', { prefix: 'c' }), 'browsers')
  assert.deepEqual(chrome, { value: 'Chrome', count: 1, last_seen: '2026-01-02T03:04:05.000Z' })
})

test('200 shows nothing of another brand', async () => {
  await users.post(brand, 'create', {
    nv: [{ userID: 'a', tags: ['vip'], user_attributes: { plan: 'gold' } }],
  })
  await register('t1', { language: 'en', tags: ['vip'] })
  brand = await server.brand()
  assert.deepEqual(namesOf(await ask('attributes')), [])
  assert.deepEqual(valuesOf(await ask('attributes/plan/values'), 'values'), [])
  for (const list of ['tags', 'languages']) assert.deepEqual(valuesOf(await ask(list), list), [])
})

test('200 samples a large brand evenly, and says so', async () => {
  const many = CATALOGUE_LIMITS.wholeMax * 4
  await database.query(
    `insert into profiles (brand_id, attributes, created_at, updated_at)
     select $1, jsonb_build_object('plan', case when n <= $2 / 4 then 'gold' else 'free' end), now(), now()
     from generate_series(1, $2::integer) as n`,
    [brand.brandId, many],
  )
  await users.post(brand, 'create', { nv: [{ userID: 'a', user_attributes: { plan: 'free' } }] })
  const answer = await ask('attributes/plan/values')
  assert.equal(answer.body['estimated'], true)
  const counts = Object.fromEntries(rowsOf(answer, 'values').map(({ value, count }) => [value, count]))
  assert.ok(Math.abs(Number(counts['gold']) - many / 4) < many * 0.02, JSON.stringify(counts))
  assert.ok(Math.abs(Number(counts['free']) - (many * 3) / 4) < many * 0.02, JSON.stringify(counts))
})

test('200 narrows the schema of events to names that begin so', async () => {
  await logEntries(server.port, brand, [
    entryOf({ event_name: 'Order placed' }),
    entryOf({ event_name: 'signup' }),
  ])
  await catchUp(database, brand.brandId)
  const { body } = await call(server.port, {
    path: '/api/v1/events/schema?prefix=ORDER',
    headers: keyHeaders(brand),
  })
  assert.deepEqual(
    rowsOf({ ...(await ask('tags')), body }, 'events').map(({ event_name }) => event_name),
    ['Order placed'],
  )
})

test('400 for a prefix with a NUL or one that is too long', async () => {
  for (const prefix of ['x\0', 'x'.repeat(CATALOGUE_LIMITS.prefixCharsMax + 1)]) {
    for (const name of ['tags', 'attributes', 'attributes/plan/values']) {
      assert.equal((await ask(name, { prefix })).status, 400)
    }
  }
})
