import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isJsonObject } from '../../src/domain/values/json.ts'
import { EVENT_READ_LIMITS } from '../../src/rules/events.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)

let brand: TestBrand
before(async () => {
  brand = await server.brand()
  await logEntries(port, brand, [
    event('ann', 'signup', '2026-03-01 10:00:00', { plan: 'free' }),
    event('ann', 'verify', '2026-03-01 10:05:00', {}),
    event('ann', 'buy', '2026-03-02 10:00:00', { price: 5, shop: 'a' }),
    event('bob', 'signup', '2026-03-01 11:00:00', { plan: 'pro' }),
    event('bob', 'verify', '2026-03-03 11:00:00', {}),
    event('cat', 'signup', '2026-03-02 23:30:00', { plan: 'free' }),
    event('cat', 'buy', '2026-03-02 23:00:00', { price: 7, shop: 'b' }),
    event('cat', 'buy', '2026-03-09 23:00:00', { price: 'seven', shop: 'b' }),
  ])
})

function event(userID: string, event_name: string, event_time: string, attributes: object): object {
  return entryOf({ userID, event_name, event_time, attributes })
}

async function get(name: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const search = new URLSearchParams({ from: '2026-03-01', to: '2026-03-31', ...query })
  const path = `/api/v1/events${name}?${search.toString()}`
  return call(port, { path, headers: keyHeaders(brand) })
}

function listOf(answer: Answer, noun: string): readonly Readonly<Record<string, unknown>>[] {
  assert.equal(answer.status, 200, answer.text)
  const list = answer.body[noun]
  assert.ok(Array.isArray(list))
  return list.filter(isJsonObject)
}

async function shown(query: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  return listOf(await get('', query), 'events').map(({ userID, event_time }) =>
    [userID, event_time].join(' '),
  )
}

test('200 lists events by person, by name, by time and by attribute', async () => {
  assert.deepEqual(await shown({ userID: 'ann' }), [
    'ann 2026-03-02T10:00:00.000Z',
    'ann 2026-03-01T10:05:00.000Z',
    'ann 2026-03-01T10:00:00.000Z',
  ])
  assert.deepEqual(await shown({ event_name: 'verify' }), [
    'bob 2026-03-03T11:00:00.000Z',
    'ann 2026-03-01T10:05:00.000Z',
  ])
  // The time of an event decides, not its arrival.
  assert.deepEqual(await shown({ userID: 'cat' }), [
    'cat 2026-03-09T23:00:00.000Z',
    'cat 2026-03-02T23:30:00.000Z',
    'cat 2026-03-02T23:00:00.000Z',
  ])
  assert.equal((await shown({ to: '2026-03-01' })).length, 3)
  assert.equal((await shown({ from: '2026-03-01 10:05:00', to: '2026-03-01T11:00:00Z' })).length, 1)
  assert.equal((await shown({ attribute: 'plan' })).length, 3)
  assert.equal((await shown({ attribute: 'plan', value: 'free' })).length, 2)
  assert.equal((await shown({ attribute: 'price', value: '5' })).length, 1)
  assert.deepEqual(await shown({ userID: 'nobody' }), [])
})

test('a mistyped value is shown only in a list that asks for it', async () => {
  assert.deepEqual(await shown({ attribute: 'price', value: 'seven' }), [])
  const [last] = listOf(await get('', { userID: 'cat', event_name: 'buy' }), 'events')
  assert.deepEqual(last?.['attributes'], { shop: 'b' })
  assert.equal(last !== undefined && 'mistyped' in last, false)
  const wrong = listOf(await get('', { event_name: 'buy', mistyped: 'price' }), 'events')
  assert.deepEqual(
    wrong.map(({ userID, attributes, mistyped }) => ({ userID, attributes, mistyped })),
    [{ userID: 'cat', attributes: { shop: 'b' }, mistyped: { price: 'seven' } }],
  )
  assert.deepEqual(await shown({ event_name: 'buy', mistyped: 'shop' }), [])
})

test('pages follow each other without gap or repeat, in both orders', async () => {
  for (const query of [{}, { event_name: 'signup' }]) {
    const all = listOf(await get('', query), 'events').map(({ id }) => id)
    const seen: unknown[] = []
    let cursor = ''
    do {
      const page = await get('', { ...query, limit: '2', ...(cursor && { cursor }) })
      seen.push(...listOf(page, 'events').map(({ id }) => id))
      const { next_cursor: next } = page.body
      cursor = typeof next === 'string' ? next : ''
    } while (cursor !== '')
    assert.deepEqual(seen, all)
  }
  assert.equal((await get('', { cursor: 'bm9uc2Vuc2U' })).status, 400)
})

test('400 for a value without its attribute, and for a filter that is empty', async () => {
  const missing = await get('', { value: 'free' })
  assert.deepEqual([missing.status, missing.body['code']], [400, 'field_missing'])
  for (const name of ['userID', 'event_name', 'attribute', 'mistyped']) {
    const empty = await get('', { [name]: '' })
    assert.deepEqual([empty.status, empty.body['code']], [400, 'field_empty'], name)
  }
})

test('stats by hour, and a warning when there are more rows than one reply holds', async () => {
  const mine = await server.brand()
  const max = EVENT_READ_LIMITS.statsRowsMax
  const hours = Array.from({ length: max + 1 }, (_, at) => new Date(Date.UTC(2026, 0, 1, at)).toISOString())
  await logEntries(
    port,
    mine,
    hours.slice(0, max).map((event_time) => entryOf({ event_time })),
  )
  const path = '/api/v1/events/stats?by=hour&from=2026-01-01'
  const whole = await call(port, { path, headers: keyHeaders(mine) })
  assert.deepEqual(
    listOf(whole, 'stats').map(({ hour }) => hour),
    hours.slice(0, max).map((hour) => `${hour.slice(0, 10)} ${hour.slice(11, 13)}:00`),
  )
  assert.equal(whole.body['warnings'], undefined)
  await logEntries(port, mine, [entryOf({ event_time: hours[max] })])
  const cut = await call(port, { path, headers: keyHeaders(mine) })
  assert.equal(listOf(cut, 'stats').length, max)
  assert.deepEqual(
    listOf(cut, 'warnings').map(({ field, code }) => [field, code]),
    [['from', 'reply_cut']],
  )
})

test('stats of a brand whose zone is an offset are in hours east of Greenwich', async () => {
  const mine = await server.brand()
  await deps.database.query(`update brands set time_zone = '+05:30' where id = $1`, [mine.brandId])
  await logEntries(port, mine, [entryOf({ event_time: '2026-01-01T20:00:00Z' })])
  const path = '/api/v1/events/stats?by=day&from=2026-01-01'
  const { body } = await call(port, { path, headers: keyHeaders(mine) })
  assert.equal(JSON.stringify(body['stats']).includes('"day":"2026-01-02"'), true, JSON.stringify(body))
})

test('stats by day, by name and by value count events and people', async () => {
  const days = listOf(await get('/stats', { by: 'day' }), 'stats')
  assert.deepEqual(
    days.map(({ day, count, unique_users }) => [day, count, unique_users]),
    [
      ['2026-03-01', 3, 2],
      ['2026-03-02', 3, 2],
      ['2026-03-03', 1, 1],
      ['2026-03-09', 1, 1],
    ],
  )
  const names = listOf(await get('/stats', { by: 'name', to: '2026-03-03' }), 'stats')
  assert.deepEqual(
    names.map(({ name, count }) => [name, count]),
    [
      ['signup', 3],
      ['buy', 2],
      ['verify', 2],
    ],
  )
  const plans = listOf(await get('/stats', { by: 'attribute', attribute: 'plan' }), 'stats')
  assert.deepEqual(
    plans.map(({ attribute, count }) => [attribute, count]),
    [
      ['free', 2],
      ['pro', 1],
    ],
  )
  assert.equal((await get('/stats', { by: 'attribute' })).status, 400)
  assert.equal((await get('/stats', { by: 'moon' })).status, 400)
})

const FUNNEL = { steps: ['signup', 'verify', 'buy'], from: '2026-03-01', to: '2026-03-31' }

async function funnel(within: number): Promise<readonly unknown[]> {
  const body = { ...FUNNEL, within }
  const answer = await call(port, { path: '/api/v1/events/funnel', headers: keyHeaders(brand), body })
  return listOf(answer, 'funnel').map(({ users }) => users)
}

test('a funnel counts only steps in order and in time', async () => {
  assert.deepEqual(await funnel(300), [3, 1, 0])
  assert.deepEqual(await funnel(86_400), [3, 1, 1])
  assert.deepEqual(await funnel(7 * 86_400), [3, 2, 1])
})

/** The people behind each number of the funnel: those who came to a step, and those who stopped before it. */
async function walkers(within: number, step: number, did: string): Promise<readonly unknown[]> {
  const body = { ...FUNNEL, within, step, did }
  const people: unknown[] = []
  let cursor: unknown = ''
  do {
    const path = `/api/v1/events/funnel/people?limit=1${cursor === '' ? '' : `&cursor=${String(cursor)}`}`
    const answer = await call(port, { path, headers: keyHeaders(brand), body })
    people.push(...listOf(answer, 'people').map(({ user_id: user }) => user))
    cursor = answer.body['next_cursor']
  } while (typeof cursor === 'string')
  return people
}

test('200 with the people behind each number of a funnel, page by page', async () => {
  for (const within of [300, 86_400, 7 * 86_400]) {
    const users = (await funnel(within)).map(Number)
    for (const [at, count] of users.entries()) {
      const reached = await walkers(within, at + 1, 'reached')
      assert.equal(reached.length, count)
      assert.equal(new Set(reached).size, count)
      if (at === 0) continue
      const starters = await walkers(within, at, 'reached')
      const stopped = await walkers(within, at + 1, 'stopped')
      assert.equal(stopped.length, (users[at - 1] ?? 0) - count)
      assert.deepEqual(new Set([...reached, ...stopped]), new Set(starters))
    }
  }
})

test('400 for a step that the funnel does not have, and for people who stopped before the first', async () => {
  for (const wrong of [{ step: 4 }, { step: 0 }, { step: 1, did: 'stopped' }, { step: 2, did: 'slept' }]) {
    const body = { ...FUNNEL, within: 300, ...wrong }
    const path = '/api/v1/events/funnel/people'
    const answer = await call(port, { path, headers: keyHeaders(brand), body })
    assert.equal(answer.status, 400, JSON.stringify(wrong))
  }
})

test('retention tells who came back', async () => {
  const table = listOf(await get('/retention', { start_event: 'signup', periods: '3' }), 'retention')
  assert.deepEqual(
    table.map(({ cohort, users, returned }) => ({ cohort, users, returned })),
    [
      { cohort: '2026-03-01', users: 2, returned: [2, 1, 1] },
      { cohort: '2026-03-02', users: 1, returned: [1, 0, 0] },
    ],
  )
})

test('retention by group tells the same of each group, over all cohorts', async () => {
  const by = JSON.stringify([{ event: 'name' }])
  const { body } = await get('/retention', { start_event: 'signup', periods: '3', by })
  assert.deepEqual(body['groups'], [{ by: ['signup'], users: 3, started: [3, 3, 3], returned: [3, 1, 1] }])
  assert.equal(body['rest'], null)
  for (const wrong of ['signup', '[{}]', '[{"event":"name","person":"city"}]', '{"event":"name"}']) {
    const { status } = await get('/retention', { by: wrong })
    assert.equal(status, 400, wrong)
  }
})

test('a period of retention that has not begun is null, not 0', async () => {
  const mine = await server.brand()
  await logEntries(port, mine, [entryOf()])
  for (const unit of ['day', 'week']) {
    const path = `/api/v1/events/retention?periods=3&unit=${unit}`
    const [cohort] = listOf(await call(port, { path, headers: keyHeaders(mine) }), 'retention')
    assert.deepEqual(cohort?.['returned'], [1, null, null])
  }
})

test('the schema shows names, types, volumes and how many values were mistyped', async () => {
  await catchUp(deps.database, brand.brandId)
  const events = listOf(await get('/schema'), 'events')
  assert.deepEqual(
    events.map(({ event_name, event_count }) => [event_name, event_count]),
    [
      ['buy', 3],
      ['signup', 3],
      ['verify', 2],
    ],
  )
  const attributes = events[0]?.['attributes']
  assert.ok(Array.isArray(attributes))
  assert.deepEqual(
    attributes.map(({ name, type, count, mistyped }) => ({ name, type, count, mistyped })),
    [
      { name: 'price', type: 'Number', count: 3, mistyped: 1 },
      { name: 'shop', type: 'String', count: 3, mistyped: 0 },
    ],
  )
})

test('refused entries can be looked at, newest first', async () => {
  const mine = await server.brand()
  await logEntries(port, mine, [entryOf({ event_name: 'no.dots' }), entryOf(), entryOf({ userID: '' })])
  const answer = await call(port, { path: '/api/v1/events/rejected', headers: keyHeaders(mine) })
  const rejected = listOf(answer, 'rejected')
  assert.deepEqual(
    rejected.map(({ index, code, field }) => [index, code, field]),
    [
      [2, 'field_invalid', 'userID'],
      [0, 'field_invalid', 'event_name'],
    ],
  )
  assert.match(JSON.stringify(rejected[1]), /no\.dots/)
})

const MADE_UP: readonly (readonly [string, string])[] = [
  ['', '1794720000000 9999999999999999999'],
  ['/schema', 'a\u0000b'],
  ['/rejected', '9999999999999999999'],
]
for (const [name, mark] of MADE_UP)
  test(`400 for a cursor of ${name || 'the list'} that no page gave`, async () => {
    const { status, body } = await get(name, { cursor: Buffer.from(mark).toString('base64url') })
    assert.deepEqual([status, body['code']], [400, 'field_invalid'])
  })

test('200 with nothing for a value that no event can have', async () => {
  for (const value of [
    '"\\u0000"',
    '"\\ud800"',
    '1e999999',
    '{"a":"\\u0000"}',
    '['.repeat(999) + ']'.repeat(999),
  ]) {
    assert.deepEqual(await shown({ attribute: 'price', value }), [], value.slice(0, 20))
  }
})
