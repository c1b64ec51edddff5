import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Db, withOwner } from '../../src/store/db.ts'
import { INSERT_EVENTS } from '../../src/store/events/batch.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const KNOWN_PEOPLE = 1_000
const PEOPLE = 4_000
const ENTRIES = 200

let brandId = 0

/**
 * The server has looked at its tables when there was one brand. Another one has come since, with more people. Autovacuum would
 * look at them by itself, at any time.
 */
before(async () => {
  await withOwner(url, async (owner) => {
    for (const table of ['profiles', 'profile_identities'])
      await owner.query(`alter table ${table} set (autovacuum_enabled = false)`)
  })
  await fill((await brand()).brandId, KNOWN_PEOPLE)
  await withOwner(url, async (owner) => owner.query('vacuum (analyze)'))
  brandId = (await brand()).brandId
  await fill(brandId, PEOPLE)
})

async function fill(id: number, people: number): Promise<void> {
  for (const sql of ROWS) await database.query(sql, [id, people])
}

const ROWS = [
  `insert into profiles (brand_id, id, created_at, updated_at)
   select $1, n, now(), now() from generate_series(1, $2::bigint) as n`,
  `insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
   select $1, 'user_id', 'User-' || n, n, now() from generate_series(1, $2::bigint) as n`,
]

async function readsOf(table: string, work: (tx: Db) => Promise<unknown>): Promise<number> {
  return database.asEngine(async (tx) => {
    const earlier = await rowsRead(tx, table)
    await work(tx)
    return (await rowsRead(tx, table)) - earlier
  })
}

test('the events of a brand that the server does not know yet look up their own people', async () => {
  const entries = Array.from({ length: ENTRIES }, (_, i) => ({
    i,
    u: `User-${i * 3 + 1}`,
    n: 'view',
    t: Date.now(),
    a: {},
  }))
  const read = await readsOf('profile_identities', async (tx) => {
    const { count } = await tx.query(INSERT_EVENTS, [
      brandId,
      BigInt(Date.now()) << 21n,
      JSON.stringify(entries),
    ])
    assert.equal(count, ENTRIES)
  })
  assert.ok(read <= 2 * ENTRIES, `${read} identities were read`)
})

// After the tests of plans, because it lets the server look at its tables again.
test('no table has statistics of its brands, and no week of events, a new one neither, has any of its JSON', async () => {
  await withOwner(url, async (owner) => {
    await maintainWeeks(owner, { now: Date.now() + 90 * 86_400_000, retentionDays: 36_500 })
    await owner.query('analyze')
    const { rows } = await owner.query<{ name: string }>(
      `select attrelid::regclass || '.' || attname as name from pg_attribute
       join pg_class on pg_class.oid = attrelid and relkind in ('r', 'p')
       where (attname = 'brand_id' or relname ~ '^events(_|$)' and atttypid = 'jsonb'::regtype)
         and relnamespace = current_schema()::regnamespace
         and (attstattarget is distinct from 0 or exists (select from pg_statistic where starelid = attrelid and staattnum = attnum))`,
    )
    assert.deepEqual(rows, [])
  })
})

test('every week of events, the first and a new one, is analysed after a growth by a fifth only', async () => {
  const { rows } = await database.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'events'::regclass and reloptions is distinct from '{autovacuum_analyze_scale_factor=0.2}'`,
  )
  assert.deepEqual(rows, [])
})
