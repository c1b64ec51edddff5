import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseFilter } from '../../src/domain/segments/filter.ts'
import { prepareFilter } from '../../src/intake/segments/size.ts'
import { TIMELINE_KINDS } from '../../src/rules/people.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { type Db, withOwner } from '../../src/store/db.ts'
import { listTimeline } from '../../src/store/people/timeline.ts'
import { listFewUsers, listFirstUsers, listUsers } from '../../src/store/people/users.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const PEOPLE = 3_000
const PAGE = 20
/** Each of a person's rows is looked up a few times at most. */
const ROWS_MAX = 10 * PAGE
const TABLES = [
  'profiles',
  'profile_identities',
  'subscriptions',
  'events_default',
  'deliveries',
  'enrolments',
]

const { brandId } = await brand()

// Rows without statistics, as an import leaves them.
const ROWS = [
  `insert into profiles (brand_id, id, email, created_at, updated_at)
   select $1, n, 'mail' || n || '@x.example', now(), now() from generate_series(1, $2::bigint) as n`,
  `insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
   select $1, 'user_id', 'User-' || n, n, now() from generate_series(1, $2::bigint) as n`,
  `insert into subscriptions (brand_id, id, subscription_id, platform, address, address_hash, profile_id, state_since,
     created_at, registered_at, updated_at)
   select $1, n, 's' || n, 'android', 't' || n, sha256(('t' || n)::bytea), n, now(), now(), now(), now()
   from generate_series(1, $2::bigint) as n`,
  `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
   select n << 21, n, now(), $1, false, 'e', 0, '{}' from generate_series(1, $2::bigint) as n`,
  `insert into enrolments (brand_id, journey_id, version, profile_id, state, is_waiting, step_at, visits, entered_at, path)
   select $1, 1, 1, n, 'completed', false, now(), 1, now(), '[]' from generate_series(1, $2::bigint) as n`,
]
for (const sql of ROWS) await database.query(sql, [brandId, PEOPLE])

const readOf = async (tx: Db): Promise<readonly number[]> => {
  const counts: number[] = []
  for (const table of TABLES) counts.push(await rowsRead(tx, table))
  return counts
}

/** Reads a page. The counters may still have what the connection read before, so the difference counts. */
async function readFew<Page>(tx: Db, read: () => Promise<Page>): Promise<Page> {
  const before = await readOf(tx)
  const page = await read()
  for (const [at, count] of (await readOf(tx)).entries()) {
    const rows = count - (before[at] ?? 0)
    assert.ok(rows <= ROWS_MAX, `${rows} rows of ${TABLES[at]} were read`)
  }
  return page
}

const ALL = {
  brandId,
  search: null,
  filter: null,
  candidates: null,
  now: Date.now(),
  after: null,
  limit: PAGE,
}

test('a page of the newest people reads the rows of these people, also before there are statistics', async () => {
  await database.asWalk(async (tx) => {
    const page = await readFew(tx, async () => listUsers(tx, { ...ALL, sort: 'newest' }))
    assert.equal(page.rows.length, PAGE)
  })
})

test('a page of a search that finds everybody reads the rows of these people', async () => {
  await database.asWalk(async (tx) => {
    const page = await readFew(tx, async () => listUsers(tx, { ...ALL, search: 'user-', sort: 'identifier' }))
    assert.equal(page.rows.length, PAGE)
  })
})

test('a page that ends with the last person has no next one', async () => {
  await database.asWalk(async (tx) => {
    const page = await listUsers(tx, { ...ALL, search: 'user-2999', sort: 'identifier' })
    assert.deepEqual([page.rows.map(({ id }) => id), page.next], [[2_999n], null])
  })
})

test('a page of a time line reads the rows of its person', async () => {
  await database.asLookUp(brandId, async (tx) => {
    const query = { brandId, profileIds: [77n], kinds: TIMELINE_KINDS, from: null, to: null, after: null }
    const page = await readFew(tx, async () => listTimeline(tx, { ...query, limit: PAGE }))
    assert.deepEqual(page.rows.map(({ kind }) => kind).toSorted(), ['change', 'change', 'event'])
    // The statement of the first page has a name, which no statement with other conditions may share.
    const [first] = page.rows
    assert.ok(first !== undefined)
    for (const span of [{ from: 0 }, { to: Date.now() + 60_000 }]) {
      const spanned = await listTimeline(tx, { ...query, ...span, limit: PAGE })
      assert.deepEqual(spanned.rows, page.rows)
    }
    const rest = await listTimeline(tx, { ...query, after: first, limit: PAGE })
    assert.deepEqual(rest.rows, page.rows.slice(1))
  })
})

test('a first page comes with its count, in one statement', async () => {
  const asked: string[] = []
  await database.asWalk(async (tx) => {
    const watched: Db = {
      query: async (statement, values) => {
        asked.push(typeof statement === 'string' ? statement : statement.text)
        return tx.query(statement, values)
      },
    }
    const newest = await listFirstUsers(watched, { ...ALL, sort: 'newest' })
    assert.deepEqual(newest.counted, { count: PEOPLE, isEstimated: false })
    assert.deepEqual(
      newest.rows.map(({ id }) => id),
      Array.from({ length: PAGE }, (_, at) => BigInt(PEOPLE - at)),
    )
    const found = await listFirstUsers(watched, { ...ALL, search: 'USER-29', sort: 'identifier' })
    // The identifiers 29, 290 to 299 and 2900 to 2999.
    assert.deepEqual(found.counted, { count: 111, isEstimated: false })
    const few = await listFewUsers(watched, { ...ALL, sort: 'oldest', candidates: [3n, 1n, 2n] })
    assert.deepEqual(few.counted, { count: 3, isEstimated: false })
    assert.deepEqual(
      few.rows.map(({ id }) => id),
      [1n, 2n, 3n],
    )
  })
  assert.equal(asked.length, 3)
})

test('a page that passes over everybody looks each up once, where the statistics do not know the brand', async () => {
  const { brandId: late } = await brand()
  await withOwner(url, async (owner) => owner.query('analyze profiles'))
  await database.query(
    `insert into profiles (brand_id, id, created_at, updated_at)
     select $1, n, now(), now() from generate_series(1, $2::bigint) as n`,
    [late, PEOPLE],
  )
  const parsed = parseFilter({ attribute: 'n', is: 'eq', value: 3 }, 'filter')
  assert.ok(parsed.ok)
  const filter = await prepareFilter(
    { database, clock: systemClock },
    { brandId: late, filter: parsed.value, self: null },
  )
  assert.ok(filter.ok)
  await database.asWalk(async (tx) => {
    const before = await rowsRead(tx, 'profiles')
    const page = await listUsers(tx, { ...ALL, brandId: late, filter: filter.value, sort: 'newest' })
    assert.deepEqual(page, { rows: [], next: null })
    const read = (await rowsRead(tx, 'profiles')) - before
    assert.ok(read <= 10 * PEOPLE, `${read} rows of profiles were read`)
  })
})

test('a later page of a search that finds everybody reads the rows of its people, also with statistics', async () => {
  await withOwner(url, async (owner) => owner.query('vacuum (analyze)'))
  await database.asWalk(async (tx) => {
    const query = {
      ...ALL,
      search: 'u',
      sort: 'identifier',
      after: { id: 2_000n, folded: 'user-2000' },
    } as const
    const page = await readFew(tx, async () => listUsers(tx, query))
    assert.equal(page.rows[0]?.id, 2_001n)
  })
})
