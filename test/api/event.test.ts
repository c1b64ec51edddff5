import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ATTRIBUTE_TYPES, type AttributeType, EVENT_ATTRIBUTES } from '../../src/rules/attributes.ts'
import { EVENT_LIMITS } from '../../src/rules/events.ts'
import { entryOf, loadEvents, logEntries } from '../support/events/events.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)
const brand = await server.brand()

test('200 with three fields and no more when every entry is good', async () => {
  const { status, body } = await logEntries(port, brand, [entryOf(), entryOf({ userID: 'u2' })])
  assert.equal(status, 200)
  assert.deepEqual(body, { message: 'success', processed: 2, status_code: '200' })
})

test('200 and partial when some are good, with the reason of each that is not', async () => {
  const mine = await server.brand()
  const { status, body } = await logEntries(port, mine, [
    entryOf(),
    entryOf({ userID: undefined }),
    entryOf({ event_name: 'no.dots' }),
  ])
  assert.equal(status, 200)
  assert.deepEqual(body, {
    message: 'partial',
    processed: 1,
    status_code: '200',
    unprocessed: [
      { index: 1, field: 'userID', code: 'field_missing', message: 'userID is required.' },
      {
        index: 2,
        field: 'event_name',
        code: 'field_invalid',
        message: 'event_name is not valid: use letters, digits, space, underscore and hyphen only.',
      },
    ],
  })
  assert.equal((await loadEvents(deps.database, mine)).length, 1)
})

test('403 Parameter missing when none is good, and nothing is stored', async () => {
  const mine = await server.brand()
  const { status, body, headers } = await logEntries(port, mine, [entryOf({ userID: '' })])
  assert.equal(status, 403)
  const { message, processed, status_code, code, request_id, unprocessed } = body
  assert.deepEqual(
    { message, processed, status_code, code },
    { message: 'Parameter missing', processed: 0, status_code: '403', code: 'parameter_missing' },
  )
  assert.equal(request_id, headers['x-request-id'])
  assert.ok(Array.isArray(unprocessed) && unprocessed.length === 1)
  assert.deepEqual(await loadEvents(deps.database, mine), [])
})

test('403 names the reason of the first refused entries beside the contract’s message', async () => {
  const { body } = await logEntries(port, brand, [
    entryOf({ event_name: 'no/slash' }),
    { userID: 'ada', event_name: 'looked' },
    7,
  ])
  const errors: readonly { readonly field: string | null; readonly code: string }[] = Object(body['errors'])
  assert.deepEqual(
    errors.map(({ field, code }) => [field, code]),
    [
      [null, 'parameter_missing'],
      ['nv[0].event_name', 'field_invalid'],
      ['nv[1].attributes', 'field_missing'],
      ['nv[2]', 'field_type'],
    ],
  )
})

for (const body of [{}, { nv: [] }, { nv: {} }, { nv: null }, [], { nv: 'x' }]) {
  test(`403 Parameter missing for ${JSON.stringify(body)}`, async () => {
    const answer = await call(port, { path: '/api/event', headers: keyHeaders(brand), body })
    assert.equal(answer.status, 403)
    assert.equal(answer.body['message'], 'Parameter missing')
    assert.equal(answer.body['processed'], 0)
    assert.equal(answer.body['status_code'], '403')
    assert.match(answer.text, /nv must be a list of 1 to 1000 entries\./)
  })
}

test('400 for 1001 entries, and nothing is stored; 1000 are stored', async () => {
  const mine = await server.brand()
  const entries = Array.from({ length: EVENT_LIMITS.entriesMax + 1 }, (_, at) =>
    entryOf({ userID: `u${at}` }),
  )
  const over = await logEntries(port, mine, entries)
  assert.equal(over.status, 400)
  assert.equal(over.body['code'], 'too_many_entries')
  assert.deepEqual(await loadEvents(deps.database, mine), [])
  const full = await logEntries(port, mine, entries.slice(1))
  assert.deepEqual(full.body, { message: 'success', processed: 1000, status_code: '200' })
  const stored = await loadEvents(deps.database, mine)
  assert.deepEqual(
    stored.map(({ userId }) => userId),
    Array.from({ length: 1000 }, (_, at) => `u${at + 1}`),
  )
})

test('401 without a key, 415 for a form, 400 for half a body', async () => {
  const path = '/api/event'
  assert.equal((await call(port, { path, body: { nv: [entryOf()] } })).status, 401)
  const headers = keyHeaders(brand)
  const form = await call(port, {
    path,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'nv=1',
  })
  assert.equal(form.status, 415)
  assert.equal((await call(port, { path, headers, body: '{"nv":[' })).status, 400)
})

test('403 for a key that may not log events', async () => {
  const mine = await server.brand({ scopes: ['push'] })
  const { status, body } = await logEntries(port, mine, [entryOf()])
  assert.equal(status, 403)
  assert.equal(body['code'], 'scope_missing')
})

test('an event is stored as it was sent', async () => {
  const mine = await server.brand()
  const context = { platform: 'website', page: { url: 'https://shop.example/' }, utm: { source: 'mail' } }
  const attributes = {
    text: 'naïve 名 😀 "quoted" \\ back',
    number: -1.5,
    big: 12,
    flag: false,
    day: '2026-02-28',
    tree: { list: [1, 'two', null, { three: 3 }] },
    rows: [{ a: 1 }, { b: 'x' }],
  }
  const entry = entryOf({ event_time: '2026-01-02 03:04:05', ltv: '99.990', attributes, context })
  await logEntries(port, mine, [entry])
  const [event] = await loadEvents(deps.database, mine)
  assert.deepEqual(event?.attributes, attributes)
  assert.deepEqual(event?.context, context)
  assert.equal(event?.mistyped, null)
  assert.equal(event?.ltv, '99.990')
  assert.equal(event?.at, Date.parse('2026-01-02T03:04:05Z'))
})

test('an event whose every part is as large as it may be is stored as it was sent', async () => {
  const mine = await server.brand()
  const { countMax, nameCharsMax, stringCharsMax } = EVENT_ATTRIBUTES
  const named = (type: string, at: number): string => `${type}_${at}_`.padEnd(nameCharsMax, 'n')
  const values: Readonly<Record<AttributeType, unknown>> = {
    object_array: [{ a: [1, 'x'] }],
    object: { deep: { er: null } },
    date: '2026-02-28',
    boolean: false,
    number: 9_007_199_254_740_991,
    string: 'é'.repeat(stringCharsMax / 2),
  }
  const all = Object.entries(values).flatMap(([type, value]) =>
    Array.from({ length: perEventMax(type) }, (_, at) => [named(type, at), value] as const),
  )
  const attributes = Object.fromEntries(all.slice(0, countMax))
  const entry = entryOf({
    userID: '𝒳'.repeat(EVENT_LIMITS.userIdCharsMax),
    event_name: '𝒳'.repeat(EVENT_LIMITS.eventNameCharsMax),
    event_id: '𝒳'.repeat(EVENT_LIMITS.eventIdCharsMax),
    attributes,
  })
  const { status, text } = await logEntries(port, mine, [entry])
  assert.equal(status, 200, text)
  const [event] = await loadEvents(deps.database, mine)
  assert.deepEqual(
    { name: event?.name, attributes: event?.attributes, userId: event?.userId },
    {
      name: '𝒳'.repeat(EVENT_LIMITS.eventNameCharsMax),
      attributes,
      userId: '𝒳'.repeat(EVENT_LIMITS.userIdCharsMax),
    },
  )
})

/** The contract allows fewer properties in all than of all types together; strings come last and fill up. */
function perEventMax(type: string): number {
  return Object.entries(ATTRIBUTE_TYPES).find(([name]) => name === type)?.[1].perEventMax ?? 0
}

test('an integer of 63 bits comes through digit for digit', async () => {
  const mine = await server.brand()
  const body =
    '{"nv":[{"userID":"u","event_name":"e","attributes":{"n":9223372036854775807,"o":{"m":-9223372036854775808}}}]}'
  const { status } = await call(port, { path: '/api/event', headers: keyHeaders(mine), body })
  assert.equal(status, 200)
  const [event] = await loadEvents(deps.database, mine)
  assert.deepEqual(event?.attributes, {
    n: 9_223_372_036_854_775_807n,
    o: { m: -9_223_372_036_854_775_808n },
  })
})

test('warnings name what was ignored, beside the three fields', async () => {
  const { body } = await logEntries(port, brand, [entryOf({ colour: 'red', attributes: { a: null } })])
  assert.equal(body['message'], 'success')
  const { warnings, ...rest } = body
  assert.deepEqual(rest, { message: 'success', processed: 1, status_code: '200' })
  assert.ok(Array.isArray(warnings))
  assert.deepEqual(
    warnings.map(({ index, field, code }) => ({ index, field, code })),
    [
      { index: 0, field: 'colour', code: 'unknown_field' },
      { index: 0, field: 'attributes.a', code: 'null_attribute' },
    ],
  )
})

test('an event for somebody unknown makes the profile, a moment later than the event', async () => {
  const mine = await server.brand()
  await logEntries(port, mine, [entryOf({ userID: 'new' })])
  const [event] = await loadEvents(deps.database, mine)
  assert.ok(event !== undefined && event.profileCreatedAt > event.at)
  assert.equal(event.isBeforeCreation, true)
})

test('an event of the future for somebody unknown still counts as before the profile', async () => {
  const mine = await server.brand()
  const event_time = new Date(deps.clock.now() + 3_600_000).toISOString()
  await logEntries(port, mine, [entryOf({ userID: 'new', event_time })])
  const [event] = await loadEvents(deps.database, mine)
  assert.equal(event?.isBeforeCreation, true)
})

test('a later event of somebody known is not before the profile, an older one is', async () => {
  const mine = await server.brand()
  await logEntries(port, mine, [entryOf()])
  const event_time = new Date(deps.clock.now() + 60_000).toISOString()
  await logEntries(port, mine, [entryOf({ event_time }), entryOf({ event_time: '2020-01-01 00:00:00' })])
  const events = await loadEvents(deps.database, mine)
  assert.deepEqual(
    events.map(({ isBeforeCreation }) => isBeforeCreation),
    [true, false, true],
  )
})

test('names that differ in case are different events and different people', async () => {
  const mine = await server.brand()
  await logEntries(port, mine, [
    entryOf({ userID: 'Ann', event_name: 'Buy', attributes: { Price: 1, price: 'x' } }),
    entryOf({ userID: 'ann', event_name: 'buy', attributes: { price: 2 } }),
  ])
  const events = await loadEvents(deps.database, mine)
  assert.deepEqual(
    events.map(({ userId, name, attributes }) => ({ userId, name, attributes })),
    [
      { userId: 'Ann', name: 'Buy', attributes: { Price: 1, price: 'x' } },
      { userId: 'ann', name: 'buy', attributes: { price: 2 } },
    ],
  )
})

test('many calls at once are all answered and all stored, in a few transactions', async () => {
  const mine = await server.brand()
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, at) =>
      logEntries(port, mine, [entryOf({ userID: `u${at % 10}` })]),
    ),
  )
  assert.ok(answers.every(({ status }) => status === 200))
  assert.equal((await loadEvents(deps.database, mine)).length, 200)
  const { rows } = await deps.database.query<{ batches: bigint }>(
    'select count(*) as batches from event_batches where brand_id = $1',
    [mine.brandId],
  )
  assert.ok(Number(rows[0]?.batches) < 150)
})

test('a bad call among many does not spoil the others', async () => {
  const mine = await server.brand()
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, at) =>
      logEntries(port, mine, [entryOf({ userID: at % 2 ? 'u' : '' })]),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 25)
  assert.equal((await loadEvents(deps.database, mine)).length, 25)
})

test('200 warns once of email and mobile that identify nobody, when the brand does not merge profiles', async () => {
  const own = await server.brand()
  const contacts = { email: 'a@x.example', mobile: '+4915112345678' }
  const { body } = await logEntries(port, own, [entryOf(), entryOf(contacts), entryOf(contacts)])
  assert.equal(body['processed'], 3)
  const { warnings } = body
  assert.ok(Array.isArray(warnings))
  assert.deepEqual(
    warnings.map(({ index, field, code }) => [index, field, code]),
    [
      [1, 'email', 'contact_unused'],
      [1, 'mobile', 'contact_unused'],
    ],
  )
})
