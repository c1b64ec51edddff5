import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { WEEK_MS } from '../../src/domain/events/week.ts'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { withOwner } from '../../src/store/db.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { cancelWaiting, countWaiting, whileEventsAreLocked } from '../support/events/locked-events.ts'
import { type AskedLines, questionLines } from '../support/events/question-lines.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const server = await startServer()
const { port } = server
after(server.close)

let brand: TestBrand
before(async () => {
  // Four weeks up to the present one, and one to come.
  await withOwner(server.url, async (owner) =>
    maintainWeeks(owner, { now: Date.now() - 3 * WEEK_MS, retentionDays: 365 }),
  )
  brand = await server.brand()
  await logEntries(port, brand, [
    entryOf({ userID: 'ann', event_name: 'signup', attributes: { plan: 'free' } }),
    entryOf({ userID: 'ann', event_name: 'buy', attributes: { plan: 'gold' } }),
    entryOf({ userID: 'bob', event_name: 'signup', attributes: { plan: 'gold' } }),
  ])
})

const QUERY = '/api/v1/events/query'

/** The lines of a reply as they come. */
function linesOf(asked: AskedLines, as = brand): AsyncGenerator<JsonObject> {
  return questionLines({ port, brand: as }, asked)
}

async function nextProgress(lines: AsyncGenerator<JsonObject>): Promise<JsonObject> {
  const { value } = await lines.next()
  const progress: unknown = value?.['progress']
  assert.ok(isJsonObject(progress))
  return progress
}

async function all(asked: AskedLines): Promise<readonly JsonObject[]> {
  return Array.fromAsync(linesOf(asked))
}

function withoutId(reply: Readonly<Record<string, unknown>>): object {
  return { ...reply, request_id: null }
}

test('200 whose last line is the reply without progress, for each question', async () => {
  // One time for both replies: without it, each would be about the last days as of its own second.
  const from = new Date(Date.now() - 14 * 86_400_000).toISOString()
  const to = new Date(Date.now() + 60_000).toISOString()
  const steps = { steps: ['signup', 'buy'], within: 60 }
  const questions: readonly AskedLines[] = [
    { path: QUERY, body: {} },
    { path: QUERY, body: { measure: 'people', by: [{ attribute: 'plan' }], every: 'week', compare: true } },
    { path: QUERY, body: { measure: 'percentile', percentile: 50, people: { users: ['ann'] } } },
    { path: QUERY, body: { by: [{ person: 'city' }], people: { users: ['ann', 'bob'] } } },
    { path: '/api/v1/events/funnel', body: steps },
    { path: `/api/v1/events/retention?unit=week&from=${from}&to=${to}` },
    { path: `/api/v1/events/paths?event_name=signup&from=${from}&to=${to}` },
  ]
  for (const { path, body: question } of questions) {
    const body = question && { ...question, from, to }
    const plain = await call(port, { path, headers: keyHeaders(brand), ...(body && { body }) })
    assert.equal(plain.status, 200, plain.text)
    const asked =
      body === undefined ? { path: `${path}&progress=true` } : { path, body: { ...body, progress: true } }
    const lines = await all(asked)
    assert.ok(lines.slice(0, -1).every((line) => isJsonObject(line['progress'])))
    assert.deepEqual(withoutId(lines.at(-1) ?? {}), withoutId(plain.body))
    assert.equal(typeof lines.at(-1)?.['request_id'], 'string')
  }
})

test('a line comes while the question is at work, and its answer after that', async () => {
  const lines = linesOf({ path: QUERY, body: { progress: true } })
  await whileEventsAreLocked(server.url, async (owner) => {
    const { seconds, seconds_max: secondsMax } = await nextProgress(lines)
    assert.equal(secondsMax, 30)
    await until(async () => (await countWaiting(owner)) === 1, { what: 'the question to be at work' })
    // Another line comes a second later, and the question still waits. On a slow machine some lines are older than its work.
    let later = await nextProgress(lines)
    while (later['weeks'] === null) later = await nextProgress(lines)
    assert.ok(Number(later['seconds']) >= Number(seconds))
    assert.deepEqual(later['weeks_read'], 0)
    assert.deepEqual(later['weeks'], 4)
  })
  const rest = await Array.fromAsync(lines)
  assert.equal(rest.at(-1)?.['status_code'], '200')
})

test('a question that takes too long ends with the refusal as its last line', async () => {
  const lines = linesOf({ path: QUERY, body: { progress: true } })
  await whileEventsAreLocked(server.url, async (owner) => {
    await lines.next()
    await until(async () => (await countWaiting(owner)) === 1, { what: 'the question to be at work' })
    await cancelWaiting(owner)
    const last = (await Array.fromAsync(lines)).at(-1)
    assert.deepEqual([last?.['status_code'], last?.['code']], ['422', 'takes_too_long'])
  })
})

test('questions that tell their progress keep their lane: the third of a brand waits', async () => {
  const other = await server.brand()
  const asked = [brand, brand, brand, other].map((as) =>
    linesOf({ path: QUERY, body: { progress: true } }, as),
  )
  const [, , , last] = asked
  await whileEventsAreLocked(server.url, async (owner) => {
    const begun = asked.slice(0, 3).map(async (lines) => lines.next())
    await until(async () => (await countWaiting(owner)) === 2, { what: 'two to be at work' })
    await last?.next()
    await until(async () => (await countWaiting(owner)) === 3, { what: 'the other brand to be at work' })
    await Promise.race(begun)
  })
  for (const lines of asked) {
    assert.equal((await Array.fromAsync(lines)).at(-1)?.['status_code'], '200')
  }
})

test('400 before the first line for a question that cannot be asked', async () => {
  const { status, body } = await call(port, {
    path: QUERY,
    headers: keyHeaders(brand),
    body: { progress: true, measure: 'percentile' },
  })
  assert.deepEqual([status, body['code']], [400, 'field_missing'])
})
