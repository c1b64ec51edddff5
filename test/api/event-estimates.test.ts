import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { weekOf } from '../../src/domain/events/week.ts'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { assertDocumented } from '../support/reference/documented.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)

let brand: TestBrand
before(async () => {
  brand = await server.brand()
  await logEntries(port, brand, [
    at(1, 'signup'),
    at(2, 'signup'),
    at(2, 'buy'),
    at(3, 'buy'),
    at(4, 'buy'),
    at(5, 'visit'),
  ])
  await catchUp(deps.database, brand.brandId)
})

function at(day: number, name: string): object {
  return entryOf({ userID: 'ann', event_name: name, event_time: `2026-03-0${day} 10:20:00`, attributes: {} })
}

const DAYS = { from: '2026-03-01', to: '2026-03-02' }

type Asked = { readonly method: 'GET' | 'POST'; readonly path: string; readonly given: object }

/** The estimate of a question, whose reply has nothing else. */
async function estimateOf({ method, path, given }: Asked, as = brand): Promise<JsonObject> {
  const fields = Object.entries({ ...given, dry_run: true })
  const query = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]))
  const answer = await call(port, {
    method,
    path: method === 'GET' ? `${path}?${query.toString()}` : path,
    headers: keyHeaders(as),
    ...(method === 'GET' ? {} : { body: Object.fromEntries(fields) }),
  })
  assert.equal(answer.status, 200, answer.text)
  assertDocumented({ method, path }, answer)
  const { estimate, ...others } = answer.body
  assert.deepEqual(Object.keys(others), ['message', 'processed', 'status_code', 'request_id'])
  assert.ok(isJsonObject(estimate))
  return estimate
}

const QUERY = { method: 'POST', path: '/api/v1/events/query' } as const
const FUNNEL = { method: 'POST', path: '/api/v1/events/funnel' } as const
const RETENTION = { method: 'GET', path: '/api/v1/events/retention' } as const
const PATHS = { method: 'GET', path: '/api/v1/events/paths' } as const

async function events(asked: Asked): Promise<unknown> {
  return (await estimateOf(asked))['events']
}

test('200 with the events that a question would read, from their counts', async () => {
  assert.equal(await events({ ...QUERY, given: DAYS }), 3)
  assert.equal(await events({ ...QUERY, given: { ...DAYS, event_name: 'buy' } }), 1)
  assert.equal(await events({ ...QUERY, given: { ...DAYS, by: [{ event: 'name' }] } }), 6)
  assert.equal(await events({ ...QUERY, given: { from: '2026-03-05', compare: true, to: '2026-03-05' } }), 2)
  const steps = { steps: ['signup', 'buy'], within: 86_400, ...DAYS }
  assert.equal(await events({ ...FUNNEL, given: steps }), 4)
  assert.equal(await events({ ...FUNNEL, given: { ...steps, exclude: ['visit'] } }), 4)
  assert.equal(await events({ ...RETENTION, given: { ...DAYS, start_event: 'signup', periods: 2 } }), 7)
  assert.equal(await events({ ...PATHS, given: { ...DAYS, event_name: 'signup', depth: 1 } }), 4)
})

test('200 with the limit, and whether the question is above it', async () => {
  assert.deepEqual(await estimateOf({ ...QUERY, given: DAYS }), {
    events: 3,
    seconds: 1,
    seconds_max: 30,
    is_above_limit: false,
  })
  const large = await server.brand()
  await deps.database.query(
    `insert into series (brand_id, metric, minutes, starts_at, platform, campaign_id, journey_id, step, name, count)
     values ($1, 'events', 60, '2026-03-01 10:00+00', '', 0, 0, '', 'buy', 20000000)`,
    [large.brandId],
  )
  assert.deepEqual(await estimateOf({ ...QUERY, given: DAYS }, large), {
    events: 20_000_000,
    seconds: 40,
    seconds_max: 30,
    is_above_limit: true,
  })
  assert.equal((await estimateOf({ ...QUERY, given: DAYS }))['events'], 3)
})

test('200 with events of any age: those older than the counts of hours are known from the list of event files', async () => {
  const old = await server.brand()
  const { brandId } = old
  await deps.database.query(
    `insert into event_names (brand_id, event_name, event_count, first_seen_at, last_seen_at)
     select $1, name, count, '2019-01-01', '2019-12-31' from (values ('buy', 1000), ('visit', 3000)) as n (name, count)`,
    [brandId],
  )
  const weeks = [
    { from: '2019-06-03', events: 70_000, isAlone: true, leastEventAt: '2019-06-03' },
    // One event of it happened long before it was received.
    { from: '2019-06-10', events: 7_000, isAlone: false, leastEventAt: '2018-01-01' },
  ]
  for (const { from, events: count, isAlone, leastEventAt } of weeks) {
    const { firstId, endId } = weekOf(Date.parse(from))
    await deps.database.query(
      `insert into event_files (brand_id, first_id, end_id, path, events, bytes, least_event_at, greatest_event_at, sum_ids,
         sum_profiles, sum_ltv, columns, fence, written_at, is_alone)
       values ($1, $2, $3, 'brand=0/' || $2::bigint, $4, 1, $5, $6::timestamptz + interval '7 days', 0, 0, 0, '{}', '1', now(), $7)`,
      [brandId, firstId, endId, count, leastEventAt, from, isAlone],
    )
  }
  const ask = async (given: object): Promise<unknown> =>
    (await estimateOf({ ...QUERY, given: { time_zone: 'UTC', ...given } }, old))['events']
  assert.equal(await ask({ from: '2019-06-03', to: '2019-06-16' }), 77_000)
  assert.equal(await ask({ from: '2019-06-03', to: '2019-06-16', event_name: 'buy' }), 77_000 / 4)
  assert.equal(await ask({ from: '2019-06-03', to: '2019-06-16', event_name: 'never' }), 0)
  assert.equal(await ask({ from: '2019-06-01', to: '2019-06-04' }), 20_000)
  assert.equal(await ask({ from: '2019-01-01', to: '2019-03-01' }), 0)
  assert.equal(await ask({ from: '2019-06-16', to: '2019-06-30' }), 1_000)
})
