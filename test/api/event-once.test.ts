import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseEventBody } from '../../src/http/events/body.ts'
import { EventIntake } from '../../src/intake/events/intake.ts'
import { EVENT_ATTRIBUTES } from '../../src/rules/attributes.ts'
import { EVENT_LIMITS } from '../../src/rules/events.ts'
import { entryOf, loadEvents, logEntries } from '../support/events/events.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const DAY_MS = 86_400_000
let skewMs = 0
const clock = { now: () => Date.now() + skewMs }
const server = await startServer({ clock })
const { port, deps } = server
after(server.close)

test('the same event_id in one call is processed twice and stored once', async () => {
  const mine = await server.brand()
  const { body } = await logEntries(port, mine, [
    entryOf({ event_id: 'a', attributes: { n: 1 } }),
    entryOf({ event_id: 'a', attributes: { n: 2 } }),
    entryOf({ event_id: 'b' }),
  ])
  assert.deepEqual([body['message'], body['processed'], body['status_code']], ['success', 3, '200'])
  const events = await loadEvents(deps.database, mine)
  assert.deepEqual(
    events.map(({ attributes }) => attributes),
    [{ n: 1 }, { total: 5 }],
  )
})

test('the same event_id in two calls is stored once; for another brand it is another id', async () => {
  const [mine, other] = [await server.brand(), await server.brand()]
  for (const brand of [mine, mine, other]) {
    const { body } = await logEntries(port, brand, [entryOf({ event_id: 'x' })])
    assert.equal(body['processed'], 1)
  }
  assert.equal((await loadEvents(deps.database, mine)).length, 1)
  assert.equal((await loadEvents(deps.database, other)).length, 1)
})

test('the same event_ids from two processes at once are stored once each', async () => {
  const mine = await server.brand()
  const eventIds = Array.from({ length: 40 }, (_, at) => `id-${at}`)
  const send = async (ids: readonly string[]): Promise<unknown> => {
    const settings = { now: clock.now(), timeZone: 'UTC', isMerging: false }
    const batch = parseEventBody({ nv: ids.map((event_id) => entryOf({ event_id })) }, settings)
    assert.ok(batch.ok)
    const intake = new EventIntake({ database: deps.database, clock })
    return intake.submit(mine.brandId, { entries: batch.value.entries, rejected: [], isMerging: false })
  }
  await Promise.all([
    send(eventIds),
    send(eventIds.toReversed()),
    send(eventIds),
    send(eventIds.toReversed()),
  ])
  assert.equal((await loadEvents(deps.database, mine)).length, eventIds.length)
})

test('an event_id is forgotten after seven days', async () => {
  const mine = await server.brand()
  await logEntries(port, mine, [entryOf({ event_id: 'x' })])
  skewMs = EVENT_LIMITS.eventIdDays * DAY_MS - 60_000
  await logEntries(port, mine, [entryOf({ event_id: 'x' })])
  assert.equal((await loadEvents(deps.database, mine)).length, 1)
  skewMs = EVENT_LIMITS.eventIdDays * DAY_MS + 60_000
  await logEntries(port, mine, [entryOf({ event_id: 'x' })])
  assert.equal((await loadEvents(deps.database, mine)).length, 2)
  skewMs = 0
})

test('a batch replayed ten times at once under one Idempotency-Key is stored once', async () => {
  const mine = await server.brand()
  const nv = Array.from({ length: 20 }, (_, at) => entryOf({ userID: `u${at}` }))
  const headers = { 'idempotency-key': 'batch-1' }
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => logEntries(port, mine, nv, headers)),
  )
  assert.ok(answers.every(({ status }) => status === 200 || status === 409))
  assert.ok(answers.some(({ status }) => status === 200))
  const again = await logEntries(port, mine, nv, headers)
  assert.deepEqual(again.body, { message: 'success', processed: 20, status_code: '200' })
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal((await loadEvents(deps.database, mine)).length, 20)
  const other = await logEntries(port, mine, [entryOf()], headers)
  assert.equal(other.status, 422)
})

test('poison of every kind among 999 good entries leaves 999 stored', async () => {
  const deep = `${'{"a":'.repeat(EVENT_ATTRIBUTES.objectDepthMax + 1)}1${'}'.repeat(EVENT_ATTRIBUTES.objectDepthMax + 1)}`
  const poisons = {
    nul: '{"x":"\\u0000"}',
    'nul in a name': '{"x\\u0000":1}',
    surrogate: '{"x":"\\ud800"}',
    infinity: '{"x":1e400}',
    proto: '{"__proto__":{"x":1}}',
    depth: `{"x":${deep}}`,
    size: `{"x":{"y":"${'z'.repeat(EVENT_LIMITS.entryBytesMax)}"}}`,
  }
  const good = JSON.stringify(entryOf())
  for (const [kind, attributes] of Object.entries(poisons)) {
    const mine = await server.brand()
    const bad = `{"userID":"u","event_name":"e","attributes":${attributes}}`
    const nv = Array.from({ length: 1000 }, (_, at) => (at === 500 ? bad : good)).join()
    const { body } = await call(port, {
      path: '/api/event',
      headers: keyHeaders(mine),
      body: `{"nv":[${nv}]}`,
    })
    assert.equal(body['message'], 'partial', kind)
    assert.equal(body['processed'], 999, kind)
    const { unprocessed } = body
    assert.ok(Array.isArray(unprocessed) && unprocessed.length === 1 && unprocessed[0].index === 500, kind)
    const { rows } = await deps.database.query<{ events: bigint; rejected: bigint }>(
      `select (select count(*) from events where brand_id = $1) as events,
         (select count(*) from rejected_entries where brand_id = $1) as rejected`,
      [mine.brandId],
    )
    assert.deepEqual(rows, [{ events: 999n, rejected: 1n }], kind)
  }
})
