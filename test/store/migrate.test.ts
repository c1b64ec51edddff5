import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartError } from '../../src/runtime/errors.ts'
import { withOwner } from '../../src/store/db.ts'
import { latestVersion, migrate, schemaVersion } from '../../src/store/migrate.ts'
import { emptyDatabase } from '../support/database/database.ts'
import { withLaterMigrations } from '../support/database/later-migrations.ts'
import { until } from '../support/until.ts'

async function tablesOf(url: string, names: readonly string[]): Promise<readonly string[]> {
  const { rows } = await withOwner(url, async (owner) =>
    owner.query<{ name: string }>(
      `select tablename::text as name from pg_tables where tablename = any($1) order by 1`,
      [names],
    ),
  )
  return rows.map(({ name }) => name)
}

test('processes that start together migrate once, and a second start does nothing', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  const steps: string[] = []
  const onStep = (step: { readonly name: string }) => steps.push(step.name)
  const migrations = withLaterMigrations('create table second ()', 'create table third ()')
  const versions = await Promise.all([1, 2, 3, 4].map(async () => migrate(url, { migrations, onStep })))
  assert.deepEqual(new Set(versions), new Set([migrations.length]))
  assert.equal(steps.length, migrations.length)
  assert.equal(await migrate(url, { migrations, onStep }), migrations.length)
  assert.equal(steps.length, migrations.length)
})

test('a migration stops where it is told, and goes on from there', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  const migrations = withLaterMigrations('create table second ()', 'create table third ()')
  assert.equal(await withOwner(url, schemaVersion), 0)
  const known = latestVersion()
  assert.equal(await migrate(url, { migrations, upTo: known }), known)
  assert.equal(await withOwner(url, schemaVersion), known)
  assert.equal(await migrate(url, { migrations, upTo: known + 1 }), known + 1)
  assert.deepEqual(await tablesOf(url, ['second', 'third']), ['second'])
  assert.equal(await migrate(url, { migrations }), migrations.length)
  assert.deepEqual(await tablesOf(url, ['second', 'third']), ['second', 'third'])
})

test('a schema from the future is refused in one sentence and left as it is', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  await migrate(url)
  const future = latestVersion() + 1
  await withOwner(url, async (owner) =>
    owner.query(`insert into schema_migrations (version, name, sha256) values ($1, 'later', '')`, [future]),
  )
  await assert.rejects(migrate(url), (error) => {
    assert.ok(error instanceof StartError)
    assert.match(error.message, new RegExp(`has schema ${future}, this Beckon knows ${future - 1}`))
    return true
  })
  assert.equal(await withOwner(url, schemaVersion), future)
})

test('a released migration that was edited is refused by name', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  await migrate(url)
  await withOwner(url, async (owner) =>
    owner.query(`update schema_migrations set sha256 = '' where version = 1`),
  )
  await assert.rejects(migrate(url), { constructor: StartError, message: /Migration 1 \(schema\)/ })
})

test('a server that cannot be reached, or refuses the password, is one sentence without the password', async () => {
  const nobody = 'postgres://user:hush-hush@127.0.0.1:1/none'
  await assert.rejects(migrate(nobody), (error) => {
    assert.ok(error instanceof StartError)
    assert.match(error.message, /127\.0\.0\.1:1: .*ECONNREFUSED/)
    assert.doesNotMatch(error.message, /hush-hush/)
    return true
  })
  const wrong = new URL(process.env['BECKON_TEST_DATABASE_URL'] ?? '')
  wrong.password = 'hush-hush'
  await assert.rejects(migrate(wrong.href), { constructor: StartError, message: /password|authentication/ })
})

test('a step that fails leaves the steps before it, and nothing of itself', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  const broken = withLaterMigrations('create table second ()', 'create table third (); select 1 / 0')
  await assert.rejects(migrate(url, { migrations: broken }), /division by zero/)
  assert.deepEqual(await tablesOf(url, ['second', 'third']), ['second'])
  const mended = withLaterMigrations('create table second ()', 'create table third ()')
  assert.equal(await migrate(url, { migrations: mended }), mended.length)
})

test('a step that waits for a long reader does not hold up the others', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  await migrate(url, { migrations: withLaterMigrations('create table second ()') })
  const migrations = withLaterMigrations('create table second ()', 'alter table second add column id int')
  await withOwner(url, async (reader) => {
    await reader.query('begin; lock table second in access share mode')
    const migrating = migrate(url, { migrations })
    await until(async () => (await waitersFor(url, 'second')) > 0, { what: 'a step that waits' })
    await withOwner(url, async (other) => other.query('select from second'))
    await reader.query('commit')
    assert.equal(await migrating, migrations.length)
  })
})

async function waitersFor(url: string, table: string): Promise<number> {
  const { count } = await withOwner(url, async (owner) =>
    owner.query('select from pg_locks where not granted and relation = $1::regclass', [table]),
  )
  return count
}

test('a migration that fails leaves nothing of itself, and works once the cause is gone', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  await withOwner(url, async (owner) => owner.query('create view rate_hits as select 1'))
  await assert.rejects(migrate(url), /"rate_hits" already exists/)
  const { rows } = await withOwner(url, async (owner) =>
    owner.query(`select tablename from pg_tables where schemaname = 'public'`),
  )
  assert.deepEqual(rows, [])
  await withOwner(url, async (owner) => owner.query('drop view rate_hits'))
  assert.equal(await migrate(url), latestVersion())
})
