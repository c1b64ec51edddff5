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
  const { body, text } = await ask({ by, top })
  const { answer } = body
  assert.ok(isJsonObject(answer) && Array.isArray(answer['groups']), text)
  const { groups, rest = null } = answer
  return { groups: groups.filter(isJsonObject), rest: isJsonObject(rest) ? rest : null }
}

async function ask(question: object): Promise<Answer> {
  const body = { ...MARCH, ...question }
  return call(port, { path: '/api/v1/events/query', headers: keyHeaders(brand), body })
}

/** The number that a question about these events has for an answer. */
async function countAsked(question: object): Promise<number> {
  const { body, text } = await ask(question)
  assert.ok(isJsonObject(body['answer']) && isJsonObject(body['answer']['total']), text)
  const { value } = body['answer']['total']
  assert.ok(typeof value === 'number', text)
  return value
}

function fieldsOf(notes: unknown): readonly string[] {
  return Array.isArray(notes) ? notes.map((note) => String(Object(note).field)) : []
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

test('200: people who meet conditions list as many events as a question with them counts', async () => {
  const filters: readonly object[] = [
    { attribute: 'city', is: 'eq', value: 'Bern' },
    { not: { attribute: 'city', is: 'exists' } },
    { all: [{ event: 'visit', count: { gte: 3 } }, { not: { users: ['cat'] } }] },
    { users: [] },
  ]
  for (const people of filters) {
    const value = await countAsked({ people })
    assert.equal(await countRows({ people: JSON.stringify(people) }), value, JSON.stringify(people))
  }
  const inBern = { people: JSON.stringify(filters[0]) }
  assert.equal(await countRows(inBern), 12)
  assert.equal(await countRows({ ...inBern, by: '[{"event":"name"}]', group: '["visit"]' }), 3)
  assert.equal(await countRows({ people: 'null' }), 36, 'no filter, as in a question')
  const other = await rows(inBern, await server.brand())
  assert.deepEqual([other.status, other.body['events']], [200, []], 'another brand')
})

test('the pages of rows have each event of the people once', async () => {
  const people = JSON.stringify({ attribute: 'city', is: 'eq', value: 'Oslo' })
  const pages: (readonly unknown[])[] = []
  let cursor: unknown = ''
  while (typeof cursor === 'string' && pages.length < 12) {
    const { body } = await rows({ people, limit: '5', ...(cursor !== '' && { cursor }) })
    assert.ok(Array.isArray(body['events']))
    pages.push(body['events'].map((row) => Object(row).id))
    cursor = body['next_cursor']
  }
  assert.deepEqual(
    pages.map(({ length }) => length),
    [5, 5, 2],
  )
  assert.equal(new Set(pages.flat()).size, 12)
})

test('what is wrong with the people of rows and of a question stands at its place in people', async () => {
  const faults: readonly (readonly [string, readonly string[]])[] = [
    ['{"tag":""}', ['people.tag']],
    ['{"all":[{"tag":"a"},{"attribute":"city","is":"eq"}]}', ['people.all[1].value']],
    ['{"not":{"segment":404404}}', ['people.not.segment']],
    [`{"any":[${'{"segment":404404},'.repeat(5)}{"segment":404404}]}`, ['people']],
    ['x', ['people']],
  ]
  for (const [people, fields] of faults) {
    const listed = await rows({ people })
    assert.deepEqual([listed.status, listed.body['code']], [400, 'filter_invalid'], listed.text)
    const asked = await ask({ people: people === 'x' ? people : JSON.parse(people) })
    assert.deepEqual([asked.status, asked.body['code']], [400, 'filter_invalid'], asked.text)
    for (const { body } of [listed, asked])
      assert.deepEqual(fieldsOf(body['errors']).slice(0, fields.length), fields)
  }
  const unknown = { all: [{ tag: 'a' }, { event: 'visit', where: [{ attribute: 'colour', is: 'exists' }] }] }
  const [listed, asked] = [await rows({ people: JSON.stringify(unknown) }), await ask({ people: unknown })]
  for (const { status, body } of [listed, asked]) {
    assert.equal(status, 200)
    assert.deepEqual(fieldsOf(body['warnings']), ['people.all[1].where[0].attribute'])
  }
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
    const value = await countAsked({ event_name: 'buy', where })
    assert.ok(value > 0)
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
  assert.equal(await status({ people: '{"users":["ann"]}', segment_id: '1' }), 400)
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
  assert.equal((await rows({ people: '{"users":["ann"]}' }, reader)).status, 403)
  assert.equal((await rows({ by: '[{"event":"name"}]', group: '["buy"]' }, reader)).status, 200)
})
