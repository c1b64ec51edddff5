import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { assertDocumented } from '../support/reference/documented.ts'

const server = await startServer()
const { port } = server
const users = new UserCalls(server)
after(server.close)

const PATH = '/api/v1/events'
const MARCH = { from: '2026-03-01', to: '2026-03-31' }
const SHOPS = ['a', 'b', null, 7] as const
const SOURCES = ['mail', undefined] as const

let brand: TestBrand
before(async () => {
  brand = await server.brand()
  const people = ['ann', 'bob', 'cat']
  for (const [at, userID] of people.entries()) {
    const city = at === 2 ? {} : { user_attributes: { city: at === 0 ? 'Bern' : 'Oslo' } }
    await users.post(brand, 'create', { nv: [{ userID, ...city }] })
  }
  await logEntries(
    port,
    brand,
    Array.from({ length: 36 }, (_, at) => {
      const shop = SHOPS[at % SHOPS.length]
      const source = SOURCES[at % SOURCES.length]
      return entryOf({
        userID: people[at % people.length],
        event_name: at % 5 === 0 ? 'visit' : 'buy',
        event_time: `2026-03-${String((at % 28) + 1).padStart(2, '0')} 10:00:00`,
        attributes: shop === null || shop === undefined ? {} : { shop: String(shop) },
        ltv: 1,
        ...(source === undefined ? {} : { context: { utm: { source } } }),
      })
    }),
  )
})

async function rows(query: Readonly<Record<string, string>>, as = brand): Promise<Answer> {
  const search = new URLSearchParams({ ...MARCH, limit: '500', ...query })
  return call(port, { path: `${PATH}?${search.toString()}`, headers: keyHeaders(as) })
}

async function countRows(query: Readonly<Record<string, string>>): Promise<number> {
  const answer = await rows(query)
  assert.equal(answer.status, 200, answer.text)
  assertDocumented({ method: 'GET', path: PATH }, answer)
  assert.ok(Array.isArray(answer.body['events']))
  return answer.body['events'].length
}

async function groupsBy(by: object, top = 50): Promise<Divided> {
  const { body, text } = await call(port, {
    path: '/api/v1/events/query',
    headers: keyHeaders(brand),
    body: { ...MARCH, by, top },
  })
  const { answer } = body
  assert.ok(isJsonObject(answer) && Array.isArray(answer['groups']), text)
  const { groups, rest = null } = answer
  return { groups: groups.filter(isJsonObject), rest: isJsonObject(rest) ? rest : null }
}

type Divided = { readonly groups: readonly JsonObject[]; readonly rest: JsonObject | null }

const QUESTIONS: readonly (readonly object[])[] = [
  [{ event: 'name' }],
  [{ attribute: 'shop' }],
  [{ context: 'utm.source' }],
  [{ person: 'city' }],
  [{ attribute: 'shop' }, { person: 'city' }, { context: 'utm.source' }],
]

for (const by of QUESTIONS) {
  test(`200: a group by ${JSON.stringify(by)} lists as many events as its number says`, async () => {
    const { groups, rest } = await groupsBy(by)
    assert.ok(groups.length > 1 && rest === null)
    for (const { by: values, value } of groups) {
      const query = { by: JSON.stringify(by), group: JSON.stringify(values) }
      assert.equal(await countRows(query), value, JSON.stringify(values))
    }
  })

  test(`200: the rest of a division by ${JSON.stringify(by)} lists as many events as its number says`, async () => {
    const { groups, rest } = await groupsBy(by, 1)
    assert.equal(groups.length, 1)
    assert.ok(rest !== null && Number(rest['value']) > 0)
    const others = JSON.stringify(groups.map(({ by: values }) => values))
    assert.equal(await countRows({ by: JSON.stringify(by), other_than: others }), rest['value'])
  })
}

test('200: a segment lists the events of its people, with a group and without', async () => {
  const filter = { attribute: 'city', is: 'eq', value: 'Bern' }
  const made = await call(port, {
    path: '/api/v1/segments',
    headers: keyHeaders(brand),
    body: { name: 'In Bern', filter },
  })
  const { segment } = made.body
  assert.ok(isJsonObject(segment), made.text)
  const id = String(segment['segment_id'])
  assert.equal(await countRows({ segment_id: id }), 12)
  const names = { by: '[{"event":"name"}]', group: '["visit"]' }
  assert.equal(await countRows({ segment_id: id, ...names }), 3)
  const other = await server.brand()
  assert.equal((await rows({ segment_id: id }, other)).status, 404, 'a segment of another brand')
})

test('200: conditions on attributes list as many events as a question with them counts', async () => {
  const conditions: readonly (readonly object[])[] = [
    [{ attribute: 'shop', is: 'eq', value: 'a' }],
    [{ attribute: 'shop', is: 'missing' }],
    [
      { attribute: 'shop', is: 'exists' },
      { attribute: 'shop', is: 'ne', value: 'a' },
    ],
  ]
  for (const where of conditions) {
    const { body, text } = await call(port, {
      path: '/api/v1/events/query',
      headers: keyHeaders(brand),
      body: { ...MARCH, event_name: 'buy', where },
    })
    assert.ok(isJsonObject(body['answer']) && isJsonObject(body['answer']['total']), text)
    const { value } = body['answer']['total']
    assert.ok(typeof value === 'number' && value > 0)
    assert.equal(await countRows({ event_name: 'buy', where: JSON.stringify(where) }), value)
  }
  for (const where of ['x', '{}', '[{"attribute":"shop"}]']) {
    assert.equal((await rows({ where })).status, 400, where)
  }
})

test('400 for a group that cannot be one, 403 for a question about people without that scope', async () => {
  const status = async (query: Readonly<Record<string, string>>) => (await rows(query)).status
  assert.equal(await status({ by: '[{"event":"name"}]' }), 400)
  assert.equal(await status({ group: '["buy"]' }), 400)
  assert.equal(await status({ by: 'x', group: '["buy"]' }), 400)
  assert.equal(await status({ by: '[{"event":"name"}]', group: '["buy","x"]' }), 400)
  assert.equal(await status({ by: '[{}]', group: '["buy"]' }), 400)
  assert.equal(await status({ by: '[]', group: '[]' }), 400)
  assert.equal(await status({ other_than: '[["buy"]]' }), 400)
  assert.equal(await status({ by: '[{"event":"name"}]', other_than: '["buy"]' }), 400)
  assert.equal(await status({ by: '[{"event":"name"}]', other_than: '[]' }), 400)
  assert.equal(await status({ by: '[{"event":"name"}]', other_than: '[["buy"],["buy","x"]]' }), 400)
  assert.equal(await status({ by: '[{"event":"name"}]', group: '["buy"]', other_than: '[["buy"]]' }), 400)
  const { body } = await call(port, {
    path: '/api/v1/brand/keys',
    headers: keyHeaders(brand),
    body: { kind: 'secret', scopes: ['events:read'] },
  })
  const { key } = body
  assert.ok(isJsonObject(key))
  const reader = { ...brand, secretKey: String(key['api_key']) }
  assert.equal((await rows({ by: '[{"person":"city"}]', group: '["Bern"]' }, reader)).status, 403)
  assert.equal((await rows({ by: '[{"person":"city"}]', other_than: '[["Bern"]]' }, reader)).status, 403)
  assert.equal((await rows({ segment_id: '1' }, reader)).status, 403)
  assert.equal((await rows({ by: '[{"event":"name"}]', group: '["buy"]' }, reader)).status, 200)
})
