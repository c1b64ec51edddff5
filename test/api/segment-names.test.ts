import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject } from '../../src/domain/values/json.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { apiOf, runJourneysAt, startJourney } from '../support/journeys/runs.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)
const users = new UserCalls(server)

async function preview(brand: TestBrand, filter: object): Promise<Answer> {
  return call(port, {
    path: '/api/v1/segments/preview',
    headers: keyHeaders(brand),
    body: { filter, exact: true },
  })
}

/** The people that a filter finds, by the names of their devices. */
async function found(brand: TestBrand, filter: object): Promise<readonly string[]> {
  const { sample } = (await preview(brand, filter)).body
  assert.ok(Array.isArray(sample), JSON.stringify(filter))
  return sample.map((one: unknown) => (isJsonObject(one) ? String(one['subscription_id']) : ''))
}

async function addDevice(brand: TestBrand, name: string, person: object): Promise<void> {
  const body = { platform: 'android', token: `t-${name}`, subscription_id: name, ...person }
  const { status } = await call(port, { path: '/api/v1/subscriptions', headers: keyHeaders(brand), body })
  assert.equal(status, 200)
}

/** Ann has all names, two user ids among them; Bob has a user id only; nobody has the third device. */
async function makePeople(): Promise<TestBrand> {
  const brand = await users.mergingBrand()
  const ann = { email: 'Ann@Shop.example', mobile: '+4915112345678' }
  await users.post(brand, 'create', { nv: [{ userID: 'ann', ...ann }] })
  await users.post(brand, 'create', { nv: [{ userID: 'anna', ...ann }, { userID: 'bob' }] })
  await addDevice(brand, 'of-ann', { user_id: 'ann' })
  await addDevice(brand, 'of-bob', { user_id: 'bob' })
  await addDevice(brand, 'of-nobody', {})
  return brand
}

const ANN = ['of-ann']
const BOB = ['of-bob']
const BOTH = ['of-ann', 'of-bob']

test('email, mobile and userID are compared like attributes, by every operator', async () => {
  const brand = await makePeople()
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [{ attribute: 'email', is: 'contains', value: '@shop.example' }, ANN],
    [{ attribute: 'email', is: 'contains', value: '@Shop.Example' }, ANN],
    [{ attribute: 'email', is: 'eq', value: 'ANN@shop.example' }, ANN],
    [{ attribute: 'email', is: 'ne', value: 'ann@shop.example' }, []],
    [{ attribute: 'email', is: 'in', value: ['x', 'ann@shop.example'] }, ANN],
    [{ attribute: 'email', is: 'starts_with', value: 'ann@' }, ANN],
    [{ attribute: 'email', is: 'exists' }, ANN],
    [{ attribute: 'email', is: 'missing' }, ['of-bob', 'of-nobody']],
    [{ attribute: 'email', is: 'gt', value: 1 }, []],
    [{ attribute: 'email', is: 'after', value: '2020-01-01' }, []],
    [{ attribute: 'mobile', is: 'eq', value: '+4915112345678' }, ANN],
    [{ attribute: 'mobile', is: 'starts_with', value: '+49' }, ANN],
    [{ attribute: 'mobile', is: 'missing' }, ['of-bob', 'of-nobody']],
    [{ attribute: 'userID', is: 'eq', value: 'ann' }, ANN],
    [{ attribute: 'userID', is: 'eq', value: 'anna' }, ANN],
    [{ attribute: 'user_id', is: 'eq', value: 'bob' }, BOB],
    [{ attribute: 'userID', is: 'ne', value: 'ann' }, BOB],
    [{ attribute: 'userID', is: 'in', value: ['anna', 'bob'] }, BOTH],
    [{ attribute: 'userID', is: 'starts_with', value: 'ann' }, ANN],
    [{ attribute: 'userID', is: 'contains', value: 'o' }, BOB],
    [{ attribute: 'userID', is: 'exists' }, BOTH],
    [{ attribute: 'userID', is: 'missing' }, ['of-nobody']],
    [{ not: { attribute: 'userID', is: 'eq', value: 'ann' } }, ['of-bob', 'of-nobody']],
  ]
  for (const [filter, expected] of cases) {
    assert.deepEqual(await found(brand, filter), expected, JSON.stringify(filter))
    const among = { all: [filter, { field: 'platform', is: 'eq', value: 'android' }] }
    assert.deepEqual(await found(brand, among), expected, JSON.stringify(among))
  }
})

test('the same among people who did an event, and where the brand has an attribute of that name', async () => {
  const brand = await makePeople()
  await logEntries(port, brand, [
    entryOf({ userID: 'ann', event_name: 'buy', attributes: { email: 'other' } }),
  ])
  const done = { event: 'buy', where: [{ attribute: 'email', is: 'eq', value: 'other' }] }
  const named = { attribute: 'email', is: 'contains', value: '@shop' }
  assert.deepEqual(await found(brand, { all: [done, named] }), ANN)
  assert.deepEqual(await found(brand, { all: [done, { attribute: 'userID', is: 'missing' }] }), [])
})

test('a branch of a journey asks for an email', async () => {
  const brand = await makePeople()
  const api = apiOf(port, brand)
  const steps = [
    {
      id: 'split',
      branch: { filter: { attribute: 'email', is: 'exists' }, yes: 'yes', no: 'no' },
    },
    { id: 'yes', set: { add_tag: 'has-email' }, next: 'end' },
    { id: 'no', set: { add_tag: 'has-none' }, next: 'end' },
  ]
  const journeyId = await startJourney(api, { trigger: { event: 'signup' }, steps })
  await logEntries(port, brand, [
    entryOf({ userID: 'ann', event_name: 'signup' }),
    entryOf({ userID: 'bob', event_name: 'signup' }),
  ])
  await runJourneysAt(deps.database, brand.brandId, Date.now())
  assert.deepEqual((await users.read(brand, 'ann'))['tags'], ['has-email'], journeyId)
  assert.deepEqual((await users.read(brand, 'bob'))['tags'], ['has-none'])
})

test('a person without events is worth 0 and was seen when they were made, in segments as in userData', async () => {
  const brand = await makePeople()
  const { ltv, last_seen, created_at } = await users.read(brand, 'bob')
  assert.deepEqual([ltv, last_seen], ['0', created_at])
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [{ field: 'ltv', is: 'eq', value: 0 }, BOTH],
    [{ field: 'ltv', is: 'lt', value: 1 }, BOTH],
    [{ field: 'ltv', is: 'missing' }, ['of-nobody']],
    [{ field: 'last_seen', is: 'within_days', value: 1 }, BOTH],
    [{ field: 'last_seen', is: 'before', value: '2020-01-01' }, []],
    [{ field: 'last_seen', is: 'missing' }, ['of-nobody']],
  ]
  for (const [filter, expected] of cases) {
    assert.deepEqual(await found(brand, filter), expected, JSON.stringify(filter))
  }
})

test('a preview, a new segment and a change warn of names that the brand never used', async () => {
  const brand = await makePeople()
  await users.post(brand, 'create', { nv: [{ userID: 'bob', user_attributes: { plan: 'gold' } }] })
  await logEntries(port, brand, [entryOf({ userID: 'bob', event_name: 'buy', attributes: { total: 1 } })])
  const filter = {
    any: [
      { attribute: 'plan', is: 'exists' },
      { attribute: 'Plan', is: 'exists' },
      { attribute: 'email', is: 'exists' },
      { not: { event: 'bought' } },
      { event: 'buy', where: [{ attribute: 'total', is: 'gt', value: 0 }] },
      { event: 'buy', where: [{ attribute: 'sum', is: 'gt', value: 0 }] },
    ],
  }
  const expected = [
    ['filter.any[1].attribute', 'unknown_attribute'],
    ['filter.any[3].not.event', 'unknown_event'],
    ['filter.any[5].where[0].attribute', 'unknown_attribute'],
  ]
  assert.deepEqual(warningsIn(await preview(brand, filter)), expected)
  const api = apiOf(port, brand)
  assert.deepEqual(
    warningsIn(await api('POST', '/api/v1/segments', { segment_id: 7, name: 's', filter })),
    expected,
  )
  assert.deepEqual(warningsIn(await api('PATCH', '/api/v1/segments/7', { filter })), expected)
  assert.deepEqual(warningsIn(await api('PATCH', '/api/v1/segments/7', { name: 't' })), [])
})

function warningsIn({ status, body, text }: Answer): readonly unknown[] {
  assert.equal(status, 200, text)
  const { warnings = [] } = body
  assert.ok(Array.isArray(warnings))
  return warnings.map(({ field, code }) => [field, code])
}
