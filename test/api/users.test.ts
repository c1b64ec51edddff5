import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { JsonObject } from '../../src/domain/values/json.ts'
import { USER_LIST_LIMITS } from '../../src/rules/people.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)
const users = new UserCalls(server)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

const save = async (...nv: readonly object[]): Promise<Answer> => users.post(brand, 'create', { nv })
const ask = async (query: Readonly<Record<string, string>>): Promise<Answer> =>
  call(server.port, {
    path: `/api/v1/users?${new URLSearchParams(query).toString()}`,
    headers: keyHeaders(brand),
  })
const search = async (body: object): Promise<Answer> => post('/api/v1/users/search', body)
const rowsOf = ({ body }: Answer): readonly JsonObject[] => Array.from(Object(body['users']))
const idsOf = (answer: Answer): readonly unknown[] => rowsOf(answer).map((row) => row['userID'])
const find = async (text: string): Promise<readonly unknown[]> => idsOf(await ask({ search: text }))

const post = async (path: string, body: object): Promise<Answer> =>
  call(server.port, { path, headers: keyHeaders(brand), body })

/** The people of all pages. */
async function walk(body: object): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (let cursor: unknown; cursor !== null; ) {
    const page = await search({ ...body, ...(cursor === undefined ? {} : { cursor }) })
    assert.equal(page.status, 200, page.text)
    found.push(...idsOf(page))
    cursor = page.body['next_cursor'] ?? null
  }
  return found
}

const found = async (filter: object, more: object = {}): Promise<readonly unknown[]> =>
  walk({ filter, sort: 'oldest', ...more })

test('200 lists people newest first, with what a list shows and their number', async () => {
  await save({ userID: 'ann', user_attributes: { plan: 'gold' }, email: 'Ann@Example.com' })
  await save({ userID: 'bob', tags: ['vip'] })
  await call(server.port, {
    path: '/api/v1/subscriptions',
    headers: keyHeaders(brand),
    body: { platform: 'android', token: 't1', user_id: 'ann' },
  })
  const answer = await ask({})
  assert.deepEqual([answer.status, answer.body['count'], answer.body['estimated']], [200, 2, false])
  assert.deepEqual(idsOf(answer), ['bob', 'ann'])
  const { created_at, updated_at, first_seen, last_seen, ...ann } = rowsOf(answer)[1] ?? {}
  assert.deepEqual(ann, {
    userID: 'ann',
    user_ids: ['ann'],
    email: 'ann@example.com',
    mobile: null,
    user_attributes: { plan: 'gold' },
    tags: [],
    identities: [{ kind: 'user_id', value: 'ann' }],
    platforms: ['android'],
    event_count: 0,
    ltv: '0',
  })
  assert.deepEqual([first_seen, last_seen], [created_at, created_at])
  assert.equal(typeof updated_at, 'string')
  assert.deepEqual(idsOf(await ask({ sort: 'oldest' })), ['ann', 'bob'])
})

test('200 finds any identifier by its first letters, in any case', async () => {
  await save({ userID: 'Customer-7', email: 'Wanda@Example.com', mobile: '+4670123456' })
  await save({ userID: 'other' })
  for (const text of ['customer-7', 'CUST', 'c', 'wanda@', 'WANDA@EXAMPLE.COM', '+4670', '+4670123456']) {
    assert.deepEqual(await find(text), ['Customer-7'], text)
  }
  for (const text of ['ustomer', 'customer-70', 'example.com', '4670']) {
    assert.deepEqual(await find(text), [], text)
  }
})

test('200 finds a browser without a user id by its visitor id', async () => {
  const { database } = server.deps
  await database.asEngine(async (tx) =>
    tx.query(
      `with made as (
         insert into profiles (brand_id, created_at, updated_at) values ($1, now(), now()) returning id
       )
       insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
       select $1, 'visitor', 'vAbC123', id, now() from made`,
      [brand.brandId],
    ),
  )
  const [row] = rowsOf(await ask({ search: 'Vabc' }))
  assert.deepEqual([row?.['userID'], row?.['identities']], [null, [{ kind: 'visitor', value: 'vAbC123' }]])
})

test('200 takes %, _ and a backslash for themselves', async () => {
  await save(
    { userID: '100%-sure' },
    { userID: '100x' },
    { userID: 'a_b' },
    { userID: 'aXb' },
    { userID: 'c\\d' },
  )
  assert.deepEqual(await find('100%'), ['100%-sure'])
  assert.deepEqual(await find('%'), [])
  assert.deepEqual(await find('a_'), ['a_b'])
  assert.deepEqual(await find('c\\'), ['c\\d'])
})

test('200 finds emoji and letters of every script', async () => {
  await save({ userID: '😀👍🏽-first' }, { userID: '😁-second' }, { userID: 'ÉLAN' }, { userID: 'Straße' })
  await save({ userID: 'ΟΔΟΣ' }, { userID: 'жИЗНЬ' })
  assert.deepEqual(await find('😀'), ['😀👍🏽-first'])
  assert.deepEqual(await find('😀👍'), ['😀👍🏽-first'])
  assert.deepEqual(await find('élan'), ['ÉLAN'])
  assert.deepEqual(await find('STRASSE'), ['Straße'])
  assert.deepEqual(await find('οδος'), ['ΟΔΟΣ'])
  assert.deepEqual(await find('Жизнь'), ['жИЗНЬ'])
})

test('200 takes the four letters i of Turkish for one', async () => {
  const names = ['İstanbul-1', 'istanbul-2', 'ISTANBUL-3', 'ıstanbul-4', 'i̇stanbul-5']
  await save(...names.map((userID) => ({ userID })))
  for (const text of ['İST', 'ist', 'IST', 'ıst', 'i̇st']) assert.deepEqual(await find(text), names, text)
  await save({ userID: 'e', email: 'İrem@example.com' })
  assert.deepEqual(await find('irem@'), ['e'])
})

test('200 finds a prefix of 100 characters, and 400 refuses one that is too long or has a NUL', async () => {
  const name = 'x'.repeat(99)
  await save({ userID: `${name}A` }, { userID: `${name}b` })
  assert.deepEqual(await find(`${name}a`), [`${name}A`])
  assert.deepEqual(await find(name), [`${name}A`, `${name}b`])
  assert.deepEqual(await find(`${name}c`), [])
  assert.deepEqual(await find('😀'.repeat(100)), [])
  const max = USER_LIST_LIMITS.searchCharsMax
  assert.equal((await ask({ search: 'x'.repeat(max) })).status, 200)
  assert.equal((await ask({ search: 'x'.repeat(max + 1) })).status, 400)
  for (const answer of [await ask({ search: 'x\0' }), await search({ search: 'x\0' })]) {
    assert.equal(answer.status, 400, answer.text)
  }
})

test('200 never shows people of another brand', async () => {
  await save({ userID: 'ann', email: 'ann@example.com', tags: ['vip'], user_attributes: { plan: 'gold' } })
  brand = await server.brand()
  assert.deepEqual(await find('ann'), [])
  for (const filter of [{ tag: 'vip' }, { users: ['ann'] }, { attribute: 'plan', is: 'exists' }]) {
    const answer = await search({ filter })
    assert.deepEqual([idsOf(answer), answer.body['count']], [[], 0])
  }
  assert.deepEqual(idsOf(await ask({})), [])
})

test('200 pages without gaps or repeats, in every order', async () => {
  brand = await users.mergingBrand()
  const names = Array.from({ length: 23 }, (_, at) => `person-${String(at).padStart(2, '0')}`)
  for (const userID of names) await save({ userID, email: `PERSON-${userID}@example.com` })
  // Two people who turn out to be one have two user ids and two emails that begin alike.
  await save({ userID: 'person-03', email: 'person-person-04@example.com' })
  const people = names.filter((name) => name !== 'person-04')
  assert.deepEqual(await walk({ search: 'person', limit: 4 }), people)
  assert.deepEqual(await walk({ search: 'PERSON', sort: 'oldest', limit: 4 }), people)
  assert.deepEqual(await walk({ limit: 5 }), people.toReversed())
  assert.deepEqual(await walk({ filter: { not: { tag: 'x' } }, limit: 22 }), people.toReversed())
  const first = await ask({ search: 'person', limit: '4' })
  assert.deepEqual([first.body['count'], first.body['estimated']], [22, false])
  const second = await ask({ search: 'person', limit: '4', cursor: String(first.body['next_cursor']) })
  assert.deepEqual([second.body['count'], second.body['estimated']], [null, null])
})

test('200 lists a person once whose identifiers differ in case alone', async () => {
  brand = await users.mergingBrand()
  await save({ userID: 'Dup', email: 'dup@example.com' }, { userID: 'dup-other' })
  await save(
    { userID: 'dup', email: 'dup@example.com' },
    { userID: 'DUP@example.com', email: 'dup@example.com' },
  )
  const answer = await ask({ search: 'DUP' })
  assert.deepEqual([idsOf(answer), answer.body['count']], [['DUP@example.com', 'dup-other'], 2])
  assert.deepEqual(await walk({ search: 'dup@', limit: 1 }), ['DUP@example.com'])
})

test('400 for a cursor of another order, or one that Beckon did not return', async () => {
  await save({ userID: 'a1' }, { userID: 'a2' })
  const { body } = await ask({ search: 'a', limit: '1' })
  const cursor = String(body['next_cursor'])
  assert.equal((await ask({ search: 'a', sort: 'newest', cursor })).status, 400)
  for (const text of ['x', '1 ', '9999999999999999999', '5 a\0']) {
    const forged = Buffer.from(text).toString('base64url')
    assert.equal((await ask({ search: 'a', cursor: forged })).status, 400, text)
  }
})

test('200 finds people by an email in any case, whole, among others and in part', async () => {
  await save({ userID: 'ann', email: 'Ann@Example.com' }, { userID: 'bob', email: 'bob@example.com' })
  for (const condition of [
    { is: 'eq', value: 'ANN@example.COM' },
    { is: 'in', value: ['ANN@example.COM', 'nobody@example.com'] },
    { is: 'contains', value: 'ANN@' },
  ])
    assert.deepEqual(await found({ attribute: 'email', ...condition }), ['ann'], condition.is)
})

test('200 finds people by attribute values, tags, devices, events and saved segments', async () => {
  await save({ userID: 'ann', user_attributes: { plan: 'gold', age: 41 } })
  await save({ userID: 'bob', user_attributes: { plan: 'free', age: 30 }, tags: ['vip'] })
  await save({ userID: 'cy', user_attributes: { plan: 'gold', age: 20 } })
  await post('/api/v1/subscriptions', {
    platform: 'ios',
    token: 'ab'.repeat(32),
    user_id: 'cy',
    tags: ['vip'],
  })
  assert.deepEqual(await found({ attribute: 'plan', is: 'eq', value: 'gold' }), ['ann', 'cy'])
  assert.deepEqual(await found({ attribute: 'age', is: 'gt', value: 25 }), ['ann', 'bob'])
  assert.deepEqual(await found({ tag: 'vip' }), ['bob', 'cy'])
  assert.deepEqual(await found({ field: 'platform', is: 'eq', value: 'ios' }), ['cy'])
  assert.deepEqual(await found({ field: 'platform', is: 'missing' }), ['ann', 'bob'])
  assert.deepEqual(await found({ not: { tag: 'vip' } }), ['ann'])
  assert.deepEqual(await found({ users: ['cy', 'nobody'] }), ['cy'])
  assert.deepEqual(await found({ tag: 'vip' }, { search: 'c' }), ['cy'])
  const made = await post('/api/v1/segments', {
    name: 'gold',
    filter: { attribute: 'plan', is: 'eq', value: 'gold' },
  })
  const { segment_id: segment } = Object(made.body['segment'])
  assert.deepEqual(await found({ all: [{ segment }, { tag: 'vip' }] }), ['cy'])
  assert.deepEqual(await found({ all: [{ tag: 'vip' }, { segment }] }), ['cy'])
  const counted = await search({ filter: { tag: 'vip' }, limit: 1 })
  assert.deepEqual([counted.body['count'], counted.body['estimated']], [2, false])
  // No index answers this one, so that everybody is checked for the count.
  const gold = await search({ filter: { attribute: 'plan', is: 'eq', value: 'gold' }, limit: 1 })
  assert.deepEqual([gold.body['count'], gold.body['estimated']], [2, false])
})

test('200 finds a person with two tagged devices once, and nobody by the tag of a device that is gone', async () => {
  await save({ userID: 'ann', tags: ['vip'] }, { userID: 'bob' })
  const devices = [
    { token: 'aa'.repeat(32), user_id: 'ann' },
    { token: 'ab'.repeat(32), user_id: 'ann' },
    { token: 'ac'.repeat(32), user_id: 'bob', subscription_id: 'gone' },
  ]
  for (const device of devices) {
    await post('/api/v1/subscriptions', { platform: 'ios', tags: ['vip'], ...device })
  }
  assert.deepEqual(await found({ tag: 'vip' }), ['ann', 'bob'])
  assert.equal((await search({ filter: { all: [{ tag: 'vip' }] } })).body['count'], 2)
  await server.asOwner(`update subscriptions set state = 'gone' where subscription_id = 'gone'`)
  assert.deepEqual(await found({ tag: 'vip' }), ['ann'])
  assert.deepEqual((await search({ filter: { tag: 'vip' } })).body['count'], 1)
})

test('200 finds people who did not do an event of late', async () => {
  await save({ userID: 'ann' }, { userID: 'bob' })
  await post('/api/event', { nv: [{ userID: 'ann', event_name: 'order placed', attributes: { total: 5 } }] })
  const filter = { event: 'order placed', count: { eq: 0 }, within_days: 7 }
  assert.deepEqual(await walk({ filter }), ['bob'])
})

test('200 finds people who did an event often enough, and not all who did it', async () => {
  await save({ userID: 'ann' }, { userID: 'bob' })
  const nv = ['ann', 'bob', 'bob'].map((userID) => ({ userID, event_name: 'order placed', attributes: {} }))
  await post('/api/event', { nv })
  await catchUp(server.deps.database, brand.brandId)
  const answer = await search({ filter: { event: 'order placed', count: { gte: 2 } } })
  assert.deepEqual([idsOf(answer), answer.body['count']], [['bob'], 1])
})

test('400 names the bad node of a filter, and an attribute nobody has is a warning', async () => {
  const bad = await search({ filter: { all: [{ tga: 'x' }] } })
  assert.deepEqual([bad.status, bad.body['code']], [400, 'filter_invalid'])
  const unknown = await search({ filter: { attribute: 'nope', is: 'exists' } })
  assert.deepEqual([unknown.status, idsOf(unknown)], [200, []])
  assert.match(unknown.text, /unknown_attribute/)
  assert.equal((await search({ filter: { segment: 4711 } })).status, 400)
})

test('200 ends a page after so many people who do not fit, and goes on', async () => {
  const many = USER_LIST_LIMITS.checkedMax + 50
  const { database, clock } = server.deps
  await database.asEngine(async (tx) =>
    tx.query(
      `with made as (
         insert into profiles (brand_id, attributes, created_at, updated_at)
         select $1, jsonb_build_object('n', n), $3, $3 from generate_series(1, $2::integer) as n returning id, attributes
       )
       insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
       select $1, 'user_id', 'p-' || (attributes ->> 'n'), id, $3 from made`,
      [brand.brandId, many, new Date(clock.now())],
    ),
  )
  const filter = { attribute: 'n', is: 'eq', value: 3 }
  const first = await search({ filter })
  assert.deepEqual([idsOf(first), first.body['estimated']], [[], true])
  assert.notEqual(first.body['next_cursor'], null)
  assert.deepEqual(await walk({ filter }), ['p-3'])
  const everybody = await ask({ limit: '1' })
  assert.equal(everybody.body['estimated'], true)
  const { count } = everybody.body
  assert.ok(
    typeof count === 'number' && Math.abs(count - many) < many * 0.1,
    `about ${many}: ${String(count)}`,
  )
  const common = await search({ filter: { attribute: 'n', is: 'gt', value: many / 2 }, limit: 3 })
  assert.deepEqual(idsOf(common), [`p-${many}`, `p-${many - 1}`, `p-${many - 2}`])
  assert.ok(Math.abs(Number(common.body['count']) - many / 2) < many * 0.1, String(common.body['count']))
  assert.deepEqual(idsOf(await ask({ search: 'P-', limit: '3', sort: 'newest' })), idsOf(common))
})
