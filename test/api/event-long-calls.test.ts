import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { loadEvents, logEntries } from '../support/events/events.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
const { database } = server.deps
after(server.close)

/** The entries of a call that is so long that it waits without its values. */
const ENTRIES = 700

type Entry = {
  readonly userID: string
  readonly event_name: string
  readonly attributes: object
  readonly context?: object
  readonly event_id?: string
}

/** Entries of three events with attributes of their own, for people of which `people` are there. */
function entriesFor(people: number): readonly Entry[] {
  return Array.from({ length: ENTRIES }, (_, at) => ({
    userID: `u${at % people}`,
    event_name: `event ${at % 3}`,
    attributes:
      at % 3 === 0 ? { total: at, note: `n${at}` } : { big: 2 ** 53 - 1, ...(at % 2 === 0 && { note: '✓' }) },
    ...(at % 5 === 0 && { context: { language: 'nb', page: { url: `https://x.example/${at}` } } }),
  }))
}

async function storedOf(brand: Parameters<typeof loadEvents>[1]): Promise<readonly object[]> {
  const stored = await loadEvents(database, brand)
  return stored.map(({ userId, name, attributes, mistyped, context }) => ({
    userID: userId,
    event_name: name,
    attributes,
    mistyped,
    ...(context !== null && { context }),
  }))
}

test('a long call is stored as it was sent, whether all of its people are known, one is new, or all are', async () => {
  const brand = await server.brand()
  for (const people of [10, 10, 11, 400]) {
    const sent = entriesFor(people)
    const before = (await storedOf(brand)).length
    const answer = await logEntries(server.port, brand, sent)
    assert.deepEqual({ status: answer.status, body: answer.body }, { status: 200, body: processedBody() })
    assert.deepEqual(
      (await storedOf(brand)).slice(before),
      sent.map((entry) => ({ ...entry, mistyped: null })),
    )
  }
})

test('a value of a long call that does not fit its lock is mistyped, and its entry keeps the others', async () => {
  const brand = await server.brand()
  await logEntries(server.port, brand, entriesFor(10))
  const before = (await storedOf(brand)).length
  const sent = entriesFor(10)
  const odd = sent.map((entry, at) =>
    at === 300 ? { ...entry, attributes: { total: 'many', note: 'n' } } : entry,
  )
  const answer = await logEntries(server.port, brand, odd)
  assert.equal(answer.status, 200)
  assert.deepEqual(
    (await storedOf(brand)).slice(before),
    odd.map((entry, at) =>
      at === 300
        ? { ...entry, attributes: { note: 'n' }, mistyped: { total: 'many' } }
        : { ...entry, mistyped: null },
    ),
  )
})

test('a long call beside short ones, and one that comes again, are stored once each', async () => {
  const brand = await server.brand()
  const sent = entriesFor(10).map((entry, at) => ({ ...entry, event_id: `id-${at}` }))
  const short = { userID: 'u1', event_name: 'short', attributes: { total: 1 } }
  const calls = [sent, [short], sent, [short], [short]]
  const answers = await Promise.all(calls.map(async (nv) => logEntries(server.port, brand, nv)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    calls.map(() => 200),
  )
  const stored = await storedOf(brand)
  assert.equal(stored.length, ENTRIES + 3)
  const long = stored.filter((event) => !JSON.stringify(event).includes('"short"'))
  assert.deepEqual(
    long,
    entriesFor(10).map((entry) => ({ ...entry, mistyped: null })),
  )
})

function processedBody(): object {
  return { message: 'success', processed: ENTRIES, status_code: '200' }
}
