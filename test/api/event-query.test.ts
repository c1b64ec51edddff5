import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { EVENT_QUERY_LIMITS } from '../../src/rules/event-queries.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { assertDocumented } from '../support/reference/documented.ts'

const server = await startServer()
const { port } = server
const users = new UserCalls(server)
after(server.close)

let brand: TestBrand
before(async () => {
  brand = await server.brand()
  for (const [userID, city] of [
    ['ann', 'Bern'],
    ['bob', 'Bern'],
    ['cat', 'Oslo'],
  ]) {
    await users.post(brand, 'create', { nv: [{ userID, user_attributes: { city } }] })
  }
  await logEntries(port, brand, [
    buy('ann', '2026-03-01 10:00:00', { price: 5, shop: 'a' }, { utm: { source: 'mail' } }),
    buy('ann', '2026-03-01 12:00:00', { price: 7, shop: 'a' }),
    buy('bob', '2026-03-01 23:30:00', { price: 9, shop: 'b' }),
    buy('cat', '2026-03-03 10:00:00', { price: 100, shop: 'c' }),
    buy('cat', '2026-03-03 11:00:00', { shop: 'a' }),
    buy('bob', '2026-02-27 11:00:00', { price: 1, shop: 'a' }),
    entryOf({
      userID: 'ann',
      event_name: 'visit',
      event_time: '2026-03-02 10:00:00',
      attributes: {},
      ltv: 0,
    }),
  ])
})

function buy(userID: string, event_time: string, attributes: object, context?: object): object {
  return entryOf({ userID, event_name: 'buy', event_time, attributes, ltv: 2, ...(context && { context }) })
}

const ROUTE = { method: 'POST', path: '/api/v1/events/query' } as const
const MARCH = { from: '2026-03-01', to: '2026-03-03' }

async function ask(body: object, as = brand): Promise<Answer> {
  return call(port, { path: ROUTE.path, headers: keyHeaders(as), body: { ...MARCH, ...body } })
}

async function answerTo(body: object): Promise<JsonObject> {
  const answer = await ask(body)
  assert.equal(answer.status, 200, answer.text)
  assertDocumented(ROUTE, answer)
  const shown = answer.body['answer']
  assert.ok(isJsonObject(shown))
  return shown
}

function lines(answer: JsonObject): readonly (readonly unknown[])[] {
  const { groups } = answer
  assert.ok(Array.isArray(groups))
  return groups.filter(isJsonObject).map(({ by, value, values }) => [by, value, values])
}

async function totalOf(body: object): Promise<unknown> {
  const { total } = await answerTo(body)
  return isJsonObject(total) ? total['value'] : null
}

test('200 with a number for the whole time, for each measure', async () => {
  const name = { event_name: 'buy' }
  assert.equal(await totalOf({}), 6)
  assert.equal(await totalOf({ ...name }), 5)
  assert.equal(await totalOf({ ...name, measure: 'people' }), 3)
  assert.equal(await totalOf({ ...name, measure: 'sum' }), 10)
  assert.equal(await totalOf({ ...name, measure: 'sum', attribute: 'price' }), 121)
  assert.equal(await totalOf({ ...name, measure: 'average', attribute: 'price' }), 30.25)
  assert.equal(await totalOf({ ...name, measure: 'percentile', percentile: 50, attribute: 'price' }), 8)
  assert.equal(await totalOf({ ...name, measure: 'average', attribute: 'absent' }), null)
  assert.equal(await totalOf({ ...name, measure: 'sum', attribute: 'shop' }), 0)
})

test('200 by day and compared with the days before, people once in each number', async () => {
  const answer = await answerTo({ event_name: 'buy', measure: 'people', every: 'day', compare: true })
  assert.deepEqual(answer['starts'], [
    '2026-03-01T00:00:00+00:00',
    '2026-03-02T00:00:00+00:00',
    '2026-03-03T00:00:00+00:00',
  ])
  assert.equal(answer['before_from'], '2026-02-26T00:00:00+00:00')
  assert.deepEqual(answer['before_starts'], [
    '2026-02-26T00:00:00+00:00',
    '2026-02-27T00:00:00+00:00',
    '2026-02-28T00:00:00+00:00',
  ])
  assert.deepEqual(answer['total'], {
    value: 3,
    values: [2, 0, 1],
    before: { value: 1, values: [0, 1, 0] },
  })
})

test('200 in another zone: the days are those of the zone', async () => {
  const answer = await answerTo({ event_name: 'buy', every: 'day', time_zone: 'Asia/Tokyo' })
  assert.deepEqual(answer['total'], { value: 5, values: [2, 1, 2], before: null })
  assert.deepEqual(answer['from'], '2026-03-01T00:00:00+09:00')
  assert.deepEqual([answer['before_from'], answer['before_starts']], [null, []])
})

test('200 by attribute, context, person and event name, the largest first and the rest as one', async () => {
  const shops = await answerTo({ event_name: 'buy', by: [{ attribute: 'shop' }], top: 1, every: 'day' })
  assert.deepEqual(lines(shops), [[['a'], 3, [2, 0, 1]]])
  assert.deepEqual(shops['rest'], { groups: 2, value: 2, values: [1, 0, 1], before: null })

  const persons = await answerTo({ by: [{ person: 'city' }, { event: 'name' }], measure: 'people' })
  assert.deepEqual(
    lines(persons).map(([by, value]) => [by, value]),
    [
      [['Bern', 'buy'], 2],
      [['Bern', 'visit'], 1],
      [['Oslo', 'buy'], 1],
    ],
  )
  assert.equal(persons['rest'], null)

  const sources = await answerTo({ event_name: 'buy', by: [{ context: 'utm.source' }] })
  assert.deepEqual(
    lines(sources).map(([by, value]) => [by, value]),
    [
      [[null], 4],
      [['mail'], 1],
    ],
  )
})

test('means are ordered by how many events they are of', async () => {
  const shops = await answerTo({
    event_name: 'buy',
    by: [{ attribute: 'shop' }],
    measure: 'average',
    attribute: 'price',
  })
  assert.deepEqual(
    lines(shops).map(([by, value]) => [by, value]),
    [
      [['a'], 6],
      [['b'], 9],
      [['c'], 100],
    ],
  )
})

test('200 with only some events, and only those of some people', async () => {
  const dear = [{ attribute: 'price', is: 'gt', value: 6 }]
  assert.equal(await totalOf({ where: dear }), 3)
  assert.equal(await totalOf({ where: dear, people: { attribute: 'city', is: 'eq', value: 'Bern' } }), 2)
  assert.equal(await totalOf({ people: { users: ['ann'] } }), 3)
})

test('another brand has nothing, also by people and by person', async () => {
  const other = await server.brand()
  for (const body of [{}, { people: { users: ['ann'] } }, { by: [{ person: 'city' }] }]) {
    const answer = await ask(body, other)
    assert.ok(isJsonObject(answer.body['answer']))
    assert.deepEqual(answer.body['answer']['total'], { value: 0, values: [0], before: null })
    assert.deepEqual(answer.body['answer']['groups'], [])
  }
})

test('200 with an estimate and no answer for a dry run', async () => {
  const answer = await ask({ dry_run: true })
  assertDocumented(ROUTE, answer)
  assert.equal(answer.body['answer'], undefined)
  assert.ok(isJsonObject(answer.body['estimate']))
  assert.equal(typeof answer.body['estimate']['events'], 'number')
})

test('400 for a question that contradicts itself, with the field', async () => {
  const refused: readonly (readonly [object, string, string])[] = [
    [{ measure: 'count', attribute: 'price' }, 'field_conflict', 'attribute'],
    [{ measure: 'percentile' }, 'field_missing', 'percentile'],
    [{ percentile: 50 }, 'field_conflict', 'percentile'],
    [{ by: [{}] }, 'field_invalid', 'by[0]'],
    [{ by: [{ attribute: 'shop', person: 'city' }] }, 'field_invalid', 'by[0]'],
    [
      { by: Array.from({ length: EVENT_QUERY_LIMITS.partsMax + 1 }, () => ({ attribute: 'shop' })) },
      'field_too_long',
      'by',
    ],
    [{ time_zone: 'Nowhere/Town' }, 'field_invalid', 'time_zone'],
    [{ every: 'hour', from: '2020-01-01' }, 'field_invalid', 'from'],
    [{ where: [{ attribute: 'price', is: 'near', value: 6 }] }, 'filter_invalid', 'where[0].is'],
    [{ people: { tag: '' } }, 'filter_invalid', 'people.tag'],
  ]
  for (const [body, code, field] of refused) {
    const answer = await ask(body)
    const [first] = Array.isArray(answer.body['errors']) ? answer.body['errors'] : []
    assert.deepEqual([answer.status, first?.code, first?.field], [400, code, field], answer.text)
  }
})

test('403 for what is known of people, to a key that may only read events', async () => {
  const made = await call(port, {
    path: '/api/v1/brand/keys',
    headers: keyHeaders(brand),
    body: { label: 'events only', kind: 'secret', scopes: ['events'] },
  })
  const { api_key: key } = Object(made.body['key'])
  const askAs = async (body: object) =>
    call(port, {
      path: ROUTE.path,
      headers: { ...keyHeaders(brand), 'x-api-key': String(key) },
      body: { ...MARCH, ...body },
    })
  assert.equal((await askAs({ by: [{ attribute: 'shop' }] })).status, 200)
  for (const body of [{ by: [{ person: 'city' }] }, { people: { users: ['ann'] } }]) {
    const answer = await askAs(body)
    assert.deepEqual([answer.status, answer.body['code']], [403, 'scope_missing'], answer.text)
  }
})

test('200 with a funnel by group, with the time it took, and without those who did something else between', async () => {
  const path = '/api/v1/events/funnel'
  const funnel = async (body: object): Promise<JsonObject> => {
    const asked = { ...MARCH, steps: ['buy', 'visit'], within: 604_800, ...body }
    const answer = await call(port, { path, headers: keyHeaders(brand), body: asked })
    assertDocumented({ method: 'POST', path }, answer)
    return answer.body
  }
  const { funnel: steps, groups } = await funnel({ by: [{ person: 'city' }] })
  assert.deepEqual(steps, [
    { event_name: 'buy', users: 3, seconds: null },
    { event_name: 'visit', users: 1, seconds: 86_400 },
  ])
  const nobody = { users: 0, seconds: null }
  assert.deepEqual(groups, [
    {
      by: ['Bern'],
      steps: [
        { users: 2, seconds: null },
        { users: 1, seconds: 86_400 },
      ],
    },
    { by: ['Oslo'], steps: [{ users: 1, seconds: null }, nobody] },
  ])
  const { rest } = await funnel({ by: [{ person: 'city' }], top: 1 })
  assert.deepEqual(rest, { groups: 1, steps: [{ users: 1, seconds: null }, nobody] })
  const { funnel: pure } = await funnel({ exclude: ['buy'] })
  assert.deepEqual(pure, [
    { event_name: 'buy', users: 3, seconds: null },
    { event_name: 'visit', ...nobody },
  ])
})

test('200 with the paths after an event: each person has one, and the rest is told', async () => {
  const path = '/api/v1/events/paths'
  const paths = async (query: Readonly<Record<string, string>>): Promise<JsonObject> => {
    const search = new URLSearchParams({ event_name: 'buy', within: '604800', ...MARCH, ...query })
    const answer = await call(port, { path: `${path}?${search.toString()}`, headers: keyHeaders(brand) })
    assertDocumented({ method: 'GET', path }, answer)
    const { users: people, paths: shown, rest } = answer.body
    return { people, shown, rest }
  }
  assert.deepEqual(await paths({}), {
    people: 3,
    shown: [
      { events: [], users: 1 },
      { events: ['buy'], users: 1 },
      { events: ['buy', 'visit'], users: 1 },
    ],
    rest: null,
  })
  assert.deepEqual(await paths({ depth: '1', top: '1' }), {
    people: 3,
    shown: [{ events: ['buy'], users: 2 }],
    rest: { paths: 1, users: 1 },
  })
  const none = await paths({ event_name: 'nothing' })
  assert.deepEqual(none, { people: 0, shown: [], rest: null })
})
