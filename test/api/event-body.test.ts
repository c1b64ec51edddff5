import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { entryOf, loadEvents } from '../support/events/events.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)

/** What a plain body, which goes to the database as it came, and one that is written anew must store alike. */
const ENTRIES = [
  entryOf({ userID: 'a', ltv: 5, event_time: '2026-01-02 03:04:05', event_id: 'e1' }),
  entryOf({ userID: 'b', ltv: '0.10', context: null, email: 'not looked at' }),
  entryOf({
    userID: 'a',
    ltv: null,
    context: { platform: 'm-site' },
    attributes: { text: 'é "x" \\ 名', n: 1.5 },
  }),
  entryOf({ userID: 'c', attributes: { big: 1, deep: { a: [null, true] }, list: [{}] } }),
]

async function store(body: string | Uint8Array): Promise<readonly unknown[]> {
  const brand = await server.brand()
  const headers = keyHeaders(brand)
  for (const userID of ['a', 'b', 'c', 'd']) {
    await call(port, { path: '/api/v1/user/create', headers, body: { nv: [{ userID }] } })
  }
  const answer = await call(port, { path: '/api/event', headers, body })
  assert.equal(answer.status, 200, answer.text)
  const events = await loadEvents(deps.database, brand)
  return events.map(({ userId, name, ltv, attributes, context, mistyped, isBeforeCreation }) => ({
    userId,
    name,
    ltv,
    attributes,
    context,
    mistyped,
    isBeforeCreation,
  }))
}

test('a plain body is stored as one that has to be written anew', async () => {
  const plain = await store(JSON.stringify({ nv: ENTRIES }))
  const anew = await store(JSON.stringify({ nv: ENTRIES.map((entry) => ({ ...entry, stranger: 1 })) }))
  assert.equal(plain.length, ENTRIES.length)
  assert.deepEqual(plain, anew)
})

test('entries that all have one time are stored as entries of several times', async () => {
  for (const event_time of ['2026-01-02 03:04:05', '2026-01-02T03:04:05.250Z', undefined]) {
    const nv = ENTRIES.map((entry) => ({ ...entry, event_time }))
    const plain = await store(JSON.stringify({ nv }))
    const anew = await store(JSON.stringify({ nv: nv.map((entry) => ({ ...entry, stranger: 1 })) }))
    assert.equal(plain.length, ENTRIES.length)
    assert.deepEqual(plain, anew, String(event_time))
  }
})

test('a byte order mark, blanks and a repeated field change nothing', async () => {
  const plain = await store(JSON.stringify({ nv: ENTRIES }))
  const text = JSON.stringify({ nv: ENTRIES }, null, 2)
  assert.deepEqual(await store(Buffer.from(`\uFEFF${text}`)), plain)
  assert.deepEqual(await store(text.replace('"nv"', '"nv": [], "nv"')), plain)
})

test('people nobody knew are made, whatever way the body takes', async () => {
  const stranger = entryOf({ userID: 'new' })
  const events = await store(JSON.stringify({ nv: [ENTRIES[0], stranger, stranger] }))
  assert.deepEqual(
    events.map((event) => Object(event).isBeforeCreation),
    [true, true, true],
  )
})

test('an event of the second its profile was made in counts, whatever way the body takes; one before does not', async () => {
  const brand = await server.brand()
  const headers = keyHeaders(brand)
  await call(port, { path: '/api/v1/user/create', headers, body: { nv: [{ userID: 'u1' }] } })
  await deps.database.query(
    `update profile_identities set profile_created_at = '2026-01-02 12:00:00.400Z' where brand_id = $1`,
    [brand.brandId],
  )
  const times = [
    '2026-01-02 11:59:59',
    '2026-01-02 12:00:00',
    '2026-01-02T12:00:00.399Z',
    '2026-01-02T12:00:00.400Z',
  ]
  for (const more of [{}, { stranger: 1 }]) {
    const nv = times.map((event_time) => entryOf({ event_time, ...more }))
    assert.equal((await call(port, { path: '/api/event', headers, body: { nv } })).status, 200)
  }
  const early = (await loadEvents(deps.database, brand)).map(({ isBeforeCreation }) => isBeforeCreation)
  assert.deepEqual(early, [true, false, true, false, true, false, true, false])
})

test('an event without a time counts, whatever way the body takes, where the clock that dated the profile was ahead', async () => {
  const brand = await server.brand()
  const headers = keyHeaders(brand)
  await call(port, { path: '/api/v1/user/create', headers, body: { nv: [{ userID: 'u1' }] } })
  await deps.database.query(
    `update profile_identities set profile_created_at = now() + interval '1 minute' where brand_id = $1`,
    [brand.brandId],
  )
  const told = entryOf({ event_time: new Date(deps.clock.now()).toISOString() })
  for (const more of [{}, { stranger: 1 }]) {
    for (const nv of [[entryOf(more)], [entryOf(more), { ...told, ...more }]]) {
      assert.equal((await call(port, { path: '/api/event', headers, body: { nv } })).status, 200)
    }
  }
  const early = (await loadEvents(deps.database, brand)).map(({ isBeforeCreation }) => isBeforeCreation)
  assert.deepEqual(early, [false, false, true, false, false, true])
})
