import assert from 'node:assert/strict'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { pauseChannel, saveChannel } from '../../src/store/push/channels.ts'
import { saveHostReport } from '../../src/store/push/refused-hosts.ts'
import { freshDatabase } from '../support/database/database.ts'
import { endWith, freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

/** The doctor's rows: what it said of each thing it looked at. */
function rowsOf(stdout: string): Readonly<Record<string, string>> {
  const rows = [...stdout.matchAll(/^(good|warn|bad) +(\S+(?: \S+)?) {2,}(.*)$/gm)]
  return Object.fromEntries(rows.map(([, state = '', name = '']) => [name, state]))
}

test('the doctor finds a running Beckon well', async (context) => {
  const folder = await freshFolder(context)
  const beckon = await startBeckon(context, { BECKON_DATA_DIR: folder })
  const environment = { BECKON_DATA_DIR: folder, PORT: new URL(beckon.url).port }
  const run = await runBeckon(['doctor'], environment)
  assert.equal(run.code, 0, run.stdout)
  const rows = rowsOf(run.stdout)
  const wanted = [
    'node',
    'data folder',
    'secret',
    'port',
    'database',
    'durability',
    'schema',
    'clock',
    'channels',
  ]
  for (const name of wanted) assert.equal(rows[name], 'good', `${name}\n${run.stdout}`)

  await chmod(join(folder, 'secret'), 0o644)
  const exposed = await runBeckon(['doctor'], environment)
  assert.equal(exposed.code, 1)
  assert.equal(rowsOf(exposed.stdout)['secret'], 'bad')
  assert.match(exposed.stdout, /chmod 600 /)
})

test('before the first start the doctor warns and finds nothing broken', async (context) => {
  const run = await runBeckon(['doctor'], { BECKON_DATA_DIR: await freshFolder(context) })
  assert.equal(run.code, 0, run.stdout)
  assert.equal(rowsOf(run.stdout)['database'], 'warn')
  assert.match(run.stdout, /Start Beckon with npm start/)
})

test('a server that would lose acknowledged writes is found', async (context) => {
  const { url, drop } = await freshDatabase()
  context.after(drop)
  await withOwner(url, async (owner) =>
    owner.query(`do $do$ begin
    execute format('alter database %I set synchronous_commit = off', current_database()); end $do$`),
  )
  const run = await runBeckon(['doctor'], { DATABASE_URL: url, BECKON_SECRET: 's'.repeat(32) })
  assert.equal(run.code, 1)
  assert.match(run.stdout, /^bad +durability +.*synchronous_commit = off/m)
})

test('a brand that cannot send is named, with what is wrong', async (context) => {
  const { url, drop, database, brand } = await freshDatabase()
  context.after(drop)
  const [silent, paused, partial, empty, deleted] = [
    await brand(),
    await brand(),
    await brand(),
    await brand(),
    await brand(),
  ]
  await seedSubscriptions(database, { brandId: silent.brandId })
  await seedSubscriptions(database, { brandId: deleted.brandId })
  await database.query('update brands set deleted_at = now() where id = $1', [deleted.brandId])
  const pause = { brandId: paused.brandId, platform: 'ios', version: 1, pauseMs: 60_000 } as const
  await pauseChannel(database, { ...pause, reason: 'InvalidProviderToken' })
  const web = { brandId: partial.brandId, platform: 'web', now: Date.now() } as const
  await database.asBrand(partial.brandId, async (tx) => saveChannel(tx, { ...web, facts: {} }))
  const report = { refused: [{ host: 'push.example', reason: 'http_403' }], accepted: [] }
  await saveHostReport(database, { ...web, version: 1, report })
  const doctor = async (sandbox: string) =>
    (
      await runBeckon(['doctor'], {
        DATABASE_URL: url,
        BECKON_SECRET: 's'.repeat(32),
        BECKON_SANDBOX: sandbox,
      })
    ).stdout
  const off = await doctor('off')
  assert.equal(rowsOf(off)['channels'], 'warn')
  assert.match(off, new RegExp(`android of ${silent.externalId} is unable \\(no_credentials\\)`))
  assert.match(off, new RegExp(`ios of ${paused.externalId} is paused \\(InvalidProviderToken\\)`))
  assert.match(off, new RegExp(`web of ${partial.externalId} is refused by push.example \\(http_403\\)`))
  assert.doesNotMatch(off, new RegExp(`${empty.externalId}|${deleted.externalId}`))
  assert.doesNotMatch(await doctor('on'), /no_credentials/)
})

test('the right to make temporary tables is looked at where events have no rows', async (context) => {
  const { url, drop } = await freshDatabase()
  context.after(drop)
  const environment = {
    DATABASE_URL: url,
    BECKON_SECRET: 's'.repeat(32),
    BECKON_EVENT_FILES_DIR: await freshFolder(context),
    BECKON_EVENT_FILES_SHARED: 'on',
  }
  const revoke = `do $do$ begin
    execute format('revoke temporary on database %I from public', current_database()); end $do$`
  await withOwner(url, async (owner) => owner.query(revoke))
  const rows = await runBeckon(['doctor'], environment)
  assert.equal(rowsOf(rows.stdout)['temporary tables'], 'good', rows.stdout)

  const dropping = { ...environment, BECKON_EVENT_ROWS_DAYS: '90' }
  const lacking = await runBeckon(['doctor'], dropping)
  assert.equal(lacking.code, 1)
  assert.equal(rowsOf(lacking.stdout)['temporary tables'], 'bad', lacking.stdout)
  const [, grant = ''] =
    /(grant temporary on database \S+ to beckon_app, beckon_engine);/.exec(lacking.stdout) ?? []
  await withOwner(url, async (owner) => owner.query(grant))
  const granted = await runBeckon(['doctor'], dropping)
  assert.equal(rowsOf(granted.stdout)['temporary tables'], 'good', granted.stdout)
})

test('the doctor and the start say that a standby for reads has no effect where events have no rows', async (context) => {
  const { url, drop } = await freshDatabase()
  endWith(context, drop)
  const idle = /BECKON_DATABASE_READ_URL has no effect while BECKON_EVENT_ROWS_DAYS is set/
  const reading = {
    DATABASE_URL: url,
    BECKON_DATABASE_READ_URL: url,
    BECKON_DATA_DIR: await freshFolder(context),
    BECKON_SECRET: 's'.repeat(32),
    BECKON_EVENT_FILES_DIR: await freshFolder(context),
    BECKON_EVENT_FILES_SHARED: 'on',
  }
  const settings = { ...reading, BECKON_EVENT_ROWS_DAYS: '90' }
  const run = await runBeckon(['doctor'], settings)
  assert.equal(rowsOf(run.stdout)['settings'], 'warn', run.stdout)
  assert.match(run.stdout, idle)
  const beckon = await startBeckon(context, settings)
  assert.match(beckon.stdout() + beckon.stderr(), idle)
  const useful = await runBeckon(['doctor'], reading)
  assert.equal(rowsOf(useful.stdout)['settings'], 'good', useful.stdout)
})

test('a database that does not answer is one finding, not six', async () => {
  const run = await runBeckon(['doctor'], { DATABASE_URL: 'postgres://beckon@127.0.0.1:1/beckon' })
  assert.equal(run.code, 1)
  assert.equal(run.stdout.match(/Cannot use the database/g)?.length, 1)
  assert.equal(rowsOf(run.stdout)['schema'], undefined)
})
