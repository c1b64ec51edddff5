import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { loadRetention } from '../../src/store/events/retention.ts'
import { listRetentionPeople, type RetentionPeopleQuery } from '../../src/store/events/retention-people.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const PEOPLE = 2_000
const PAGE = 50
const DAY_MS = 86_400_000

const { brandId } = await brand()
const fromAt = Date.parse('2026-03-02T00:00:00Z')

// Everybody starts in the first minute, every second person comes back each day, and everybody does ten other things on day 5.
await database.query(
  `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
   select ($2::bigint + row_number() over ()) << 21, person, to_timestamp($2 / 1000.0) + day * interval '1 day', $1, false, name, 0, '{}'
   from generate_series(1, $3::bigint) as person, lateral (
     select 0 as day, 'start' as name
     union all select day, 'back' from generate_series(1, 3) as day where person % 2 = 0
     union all select 5, 'other' from generate_series(1, 10)
   ) as done`,
  [brandId, fromAt, PEOPLE],
)
await withOwner(url, async (owner) => owner.query('analyze'))

const RETENTION = {
  brandId,
  startEvent: 'start',
  returnEvent: 'back',
  unit: 'day',
  timeZone: 'UTC',
  fromAt,
  toAt: fromAt + 7 * DAY_MS,
} as const

const CELL = { ...RETENTION, cohort: '2026-03-02', limit: PAGE }

async function listAll(period: number): Promise<readonly bigint[]> {
  const found: bigint[] = []
  let afterId: bigint | null = null
  for (let isMore = true; isMore; ) {
    const query: RetentionPeopleQuery = { ...CELL, period, afterId }
    const page = await database.asBrand(brandId, async (tx) => listRetentionPeople(tx, query))
    found.push(...page.rows.map(({ id }) => id))
    afterId = found.at(-1) ?? null
    isMore = page.hasMore
  }
  return found
}

test('the people of a cohort and of each period are as many as the report counts, each once', async () => {
  const rows = await database.asBrand(brandId, async (tx) =>
    loadRetention(tx, { ...RETENTION, periods: 4, division: null }),
  )
  assert.deepEqual(
    rows.map(({ period, users }) => [period, Number(users)]),
    [0, 1, 2, 3].map((period) => [period, period === 0 ? PEOPLE : PEOPLE / 2]),
  )
  for (const { period, users } of rows) {
    const people = await listAll(period ?? 0)
    assert.equal(people.length, Number(users))
    assert.equal(new Set(people).size, people.length)
  }
})

test('a page reads the starts and the returns around its period, and none of the other events', async () => {
  await database.asBrand(brandId, async (tx) => {
    const before = await rowsRead(tx, 'events_default')
    const page = await listRetentionPeople(tx, { ...CELL, period: 1, afterId: null })
    assert.equal(page.rows.length, PAGE)
    const read = (await rowsRead(tx, 'events_default')) - before
    assert.ok(read <= 3 * PEOPLE, `${read} rows were read`)
  })
})
