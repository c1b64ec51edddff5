import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject } from '../../src/domain/values/json.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)

const ZONES = ['UTC', '+05:30', 'America/Los_Angeles']

async function brandIn(zone: string): Promise<TestBrand> {
  const brand = await server.brand()
  await deps.database.query('update brands set time_zone = $2 where id = $1', [brand.brandId, zone])
  await logEntries(port, brand, [
    event('ann', 'signup', '2026-03-01T10:00:00Z'),
    event('ann', 'buy', '2026-03-02T10:00:00Z'),
    event('ann', 'buy', '2026-03-02T12:00:00Z'),
    event('bob', 'signup', '2026-03-01T11:00:00Z'),
    event('bob', 'signup', '2026-03-03T11:00:00Z'),
    // Cat and Dan start on the same day in the zones east and west of Greenwich, and not in UTC.
    event('cat', 'signup', '2026-03-01T23:30:00Z'),
    event('cat', 'buy', '2026-03-08T23:30:00Z'),
    event('dan', 'signup', '2026-03-02T00:30:00Z'),
    event('dan', 'buy', '2026-03-09T00:30:00Z'),
    event('eve', 'buy', '2026-03-04T12:00:00Z'),
  ])
  return brand
}

function event(userID: string, event_name: string, event_time: string): object {
  return entryOf({ userID, event_name, event_time })
}

type Query = Readonly<Record<string, string>>

async function get(brand: TestBrand, path: string, query: Query): Promise<Answer> {
  const search = new URLSearchParams({ from: '2026-03-01', to: '2026-03-31', ...query })
  return call(port, { path: `/api/v1/events${path}?${search.toString()}`, headers: keyHeaders(brand) })
}

function listOf(answer: Answer, noun: string): readonly Readonly<Record<string, unknown>>[] {
  assert.equal(answer.status, 200, answer.text)
  const list = answer.body[noun]
  assert.ok(Array.isArray(list))
  return list.filter(isJsonObject)
}

/** The people behind one number of the report, a page for each. */
async function peopleOf(brand: TestBrand, query: Query): Promise<readonly unknown[]> {
  const people: unknown[] = []
  let cursor: unknown = ''
  do {
    const page = { limit: '1', ...(typeof cursor === 'string' && cursor !== '' && { cursor }) }
    const answer = await get(brand, '/retention/people', { ...query, ...page })
    people.push(...listOf(answer, 'people').map(({ user_id: user }) => user))
    cursor = answer.body['next_cursor']
  } while (typeof cursor === 'string')
  return people
}

const REPORTS: readonly Query[] = [
  {},
  { start_event: 'signup' },
  { start_event: 'signup', return_event: 'buy' },
  { start_event: 'signup', return_event: 'buy', to: '2026-03-01' },
  { start_event: 'signup', unit: 'week' },
  { unit: 'week', from: '2026-03-02 00:00:00' },
]

for (const zone of ZONES) {
  test(`200 with the people behind each number of a retention report in ${zone}, page by page`, async () => {
    const brand = await brandIn(zone)
    for (const report of REPORTS) {
      const asked = { periods: '9', ...report }
      const cohorts = listOf(await get(brand, '/retention', asked), 'retention')
      assert.ok(cohorts.length > 0)
      for (const { cohort, users, returned } of cohorts) {
        const all = await peopleOf(brand, { ...asked, cohort: String(cohort) })
        assert.equal(all.length, users)
        assert.ok(Array.isArray(returned))
        for (const [period, count] of returned.entries()) {
          const people = await peopleOf(brand, { ...asked, cohort: String(cohort), period: String(period) })
          assert.equal(people.length, count, `${JSON.stringify(asked)} ${String(cohort)} ${period}`)
          assert.ok(new Set(people).isSubsetOf(new Set(all)))
          assert.equal(new Set(people).size, people.length)
        }
      }
    }
  })
}

test('200 tells when a person started, and when they last came back in the period', async () => {
  const brand = await brandIn('UTC')
  const asked = { start_event: 'signup', cohort: '2026-03-01' }
  const started_at = '2026-03-01T10:00:00.000Z'
  assert.deepEqual(listOf(await get(brand, '/retention/people', { ...asked, period: '1' }), 'people')[0], {
    user_id: 'ann',
    started_at,
    at: '2026-03-02T12:00:00.000Z',
  })
  const [first] = listOf(await get(brand, '/retention/people', asked), 'people')
  assert.deepEqual(first, { user_id: 'ann', started_at, at: started_at })
})

test('200 with nobody for a cohort that the report does not have', async () => {
  const brand = await brandIn('UTC')
  for (const cohort of ['0001-01-01', '9999-12-31', '2026-02-28'])
    for (const period of ['0', '7'])
      assert.deepEqual(await peopleOf(brand, { cohort, period, unit: 'week' }), [], `${cohort} ${period}`)
})

test('a person who is being erased is in no list', async () => {
  const brand = await brandIn('UTC')
  const headers = keyHeaders(brand)
  const asked = { start_event: 'signup', cohort: '2026-03-01', period: '2' }
  assert.deepEqual(await peopleOf(brand, asked), ['bob'])
  const body = { nv: [{ userID: 'bob' }] }
  assert.equal((await call(port, { path: '/api/v1/user/delete', headers, body })).status, 200)
  assert.deepEqual(await peopleOf(brand, asked), [])
})

test('400 for a cohort that is no day, and for a period that the report does not have', async () => {
  const brand = await brandIn('UTC')
  const cohort = '2026-03-01'
  const refusals: readonly (readonly [Query, string, string])[] = [
    [{}, 'field_missing', 'cohort'],
    [{ cohort: 'spring' }, 'field_type', 'cohort'],
    [{ cohort: '2026-02-30' }, 'field_type', 'cohort'],
    [{ cohort: '2026-03-01 10:00:00' }, 'field_type', 'cohort'],
    [{ cohort, periods: '3', period: '3' }, 'field_invalid', 'period'],
    [{ cohort, period: '8' }, 'field_invalid', 'period'],
    [{ cohort, period: '-1' }, 'field_out_of_range', 'period'],
    [{ cohort, cursor: 'bm9uc2Vuc2U' }, 'field_invalid', 'cursor'],
  ]
  for (const [query, code, field] of refusals) {
    const answer = await get(brand, '/retention/people', query)
    assert.deepEqual([answer.status, answer.body['code']], [400, code], answer.text)
    assert.ok(answer.text.includes(field), answer.text)
  }
  assert.equal((await get(brand, '/retention/people', { cohort, period: '7' })).status, 200)
})
