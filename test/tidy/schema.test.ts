import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { emptyDatabase } from '../support/database/database.ts'
import { withLaterMigrations } from '../support/database/later-migrations.ts'
import { findTenancyFaults } from '../support/database/tenancy.ts'

test('every table is walled by brand', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  await migrate(url)
  assert.deepEqual(await withOwner(url, findTenancyFaults), [])
})

/** Each hole is made in a transaction that is rolled back, and the check must name it. */
const HOLES = [
  ['create table stray (id integer primary key)', 'stray has no brand_id and is not listed as shared'],
  ['alter table api_keys disable row level security', 'api_keys does not force row-level security'],
  ['alter table api_keys no force row level security', 'api_keys does not force row-level security'],
  ['drop policy one_brand on rate_hits', 'rate_hits lacks the policy of beckon_app'],
  [
    'create policy wide on api_keys to beckon_app using (true)',
    'api_keys has a policy that is not one of ours: wide',
  ],
  [
    'create index by_label on api_keys (label)',
    'api_keys has an index that does not begin with brand_id: by_label',
  ],
  ['grant select on member_sessions to beckon_app', 'member_sessions may be used by beckon_app'],
  [
    'create policy wide on api_keys to beckon_team using (true)',
    'api_keys has a policy that is not one of ours: wide',
  ],
  ['alter table api_keys owner to beckon_app', 'api_keys is owned by beckon_app'],
  ['grant truncate on brands to beckon_engine', 'brands may be truncated by beckon_engine'],
  ['create view peek as select 1', "peek is a view that sees with its owner's eyes"],
  [
    'create function leak() returns integer language sql as $$ select 1 $$',
    'leak runs as its owner, or for everybody',
  ],
] as const

test('a hole in the wall between brands is found and named', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  await migrate(url)
  await withOwner(url, async (owner) => {
    for (const [statement, fault] of HOLES) {
      await owner.query('begin')
      await owner.query(statement)
      const faults = await findTenancyFaults(owner)
      await owner.query('rollback')
      assert.ok(faults.includes(fault), `${statement}: ${faults.join('; ')}`)
    }
  })
})

test('isolate_brands walls a table that a later migration makes', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  const table = 'create table later (brand_id integer, id bigint, primary key (brand_id, id))'
  await migrate(url, { migrations: withLaterMigrations(table) })
  assert.deepEqual(await withOwner(url, findTenancyFaults), [
    'later does not force row-level security',
    'later lacks the policy of beckon_app',
    'later lacks the policy of beckon_engine',
  ])
  await withOwner(url, async (owner) => owner.query('call isolate_brands()'))
  assert.deepEqual(await withOwner(url, findTenancyFaults), [])
})
