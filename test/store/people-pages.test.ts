import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TIMELINE_KINDS } from '../../src/rules/people.ts'
import type { Db } from '../../src/store/db.ts'
import { listTimeline } from '../../src/store/people/timeline.ts'
import { listUsers } from '../../src/store/people/users.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'

const { database, brand, drop } = await freshDatabase()
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
  await database.asEngine(async (tx) => {
    const page = await readFew(tx, async () => listUsers(tx, { ...ALL, sort: 'newest' }))
    assert.equal(page.rows.length, PAGE)
  })
})

test('a page of a search that finds everybody reads the rows of these people', async () => {
  await database.asEngine(async (tx) => {
    const page = await readFew(tx, async () => listUsers(tx, { ...ALL, search: 'user-', sort: 'identifier' }))
    assert.equal(page.rows.length, PAGE)
  })
})

test('a page of a time line reads the rows of its person', async () => {
  await database.asBrand(brandId, async (tx) => {
    const query = { brandId, profileIds: [77n], kinds: TIMELINE_KINDS, from: null, to: null, after: null }
    const page = await readFew(tx, async () => listTimeline(tx, { ...query, limit: PAGE }))
    assert.deepEqual(page.rows.map(({ kind }) => kind).toSorted(), ['change', 'change', 'event'])
  })
})
