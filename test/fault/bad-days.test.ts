import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { emptyDatabase } from '../support/database/database.ts'
import { endWith, freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'

/** One sentence on standard error, nothing on standard output, a code that is not 0. */
function assertSentence(run: Awaited<ReturnType<typeof runBeckon>>, sentence: RegExp): void {
  assert.match(run.stderr, sentence)
  assert.equal(run.stderr.trim().split('\n').length, 1, run.stderr)
  assert.equal(run.stdout, '')
  assert.equal(run.code, 1)
}

async function serverDatabase(context: TestContext): Promise<string> {
  const { url, drop } = await emptyDatabase()
  endWith(context, drop)
  return url
}

test('a taken port stops the start with a sentence and starts nothing', async (context) => {
  const folder = await freshFolder(context)
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  context.after(() => other.close())
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const run = await runBeckon(['start'], { PORT: port, BECKON_DATA_DIR: join(folder, 'data') })
  assertSentence(run, new RegExp(`^Port ${port} is taken: .*set PORT`))
})

test('an address of another machine stops the start with a sentence', async () => {
  const run = await runBeckon(['start'], { HOST: '203.0.113.7' })
  assertSentence(run, /^This machine has no address 203\.0\.113\.7: /)
})

test('bad settings stop every command that reads them, all named', async () => {
  const run = await runBeckon(['start'], { PORT: 'x', BECKON_LOG_LEVEL: 'loud' })
  assert.equal(run.stderr.trim().split('\n').length, 2)
  assert.match(run.stderr, /^PORT must be .*\nBECKON_LOG_LEVEL must be/)
  assert.equal(run.code, 1)
})

test('a folder that cannot be written stops the start with a sentence', async (context) => {
  const folder = await freshFolder(context)
  // Nobody, not even root, can make a folder below a file.
  await writeFile(join(folder, 'file'), '')
  const data = join(folder, 'file', 'data')
  assertSentence(
    await runBeckon(['start'], { BECKON_DATA_DIR: data }),
    /^The data folder .* cannot be written/,
  )
  const external = { BECKON_DATA_DIR: data, DATABASE_URL: await serverDatabase(context) }
  assertSentence(await runBeckon(['start'], external), /^The data folder .* cannot be written/)
})

test('a folder where root may write and yet nothing can be made is refused at once', {
  skip: process.platform !== 'linux' && 'only Linux has a /proc',
}, async () => {
  for (const nowhere of ['/proc', '/proc/beckon', '/proc/beckon/data']) {
    const run = await runBeckon(['start'], { BECKON_DATA_DIR: nowhere })
    assertSentence(run, new RegExp(`^The data folder ${nowhere} cannot be written`))
  }
})

test('a data folder in use by another Beckon stops the start, and the other goes on', async (context) => {
  const folder = await freshFolder(context)
  const first = await startBeckon(context, { BECKON_DATA_DIR: folder })
  const run = await runBeckon(['start'], { BECKON_DATA_DIR: folder })
  assertSentence(run, new RegExp(`^The data folder is in use by another Beckon \\(process ${first.pid}\\)`))
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
})

test('a database nobody answers at stops the start with a sentence', async (context) => {
  const run = await runBeckon(['start'], {
    DATABASE_URL: 'postgres://beckon:SECRET@127.0.0.1:1/beckon',
    BECKON_DATA_DIR: await freshFolder(context),
  })
  assertSentence(run, /^Cannot use the database at 127\.0\.0\.1:1: .*ECONNREFUSED/)
  assert.doesNotMatch(run.stderr, /SECRET/)
})

test('a wrong password stops the start with a sentence that does not repeat it', async (context) => {
  const url = new URL(await serverDatabase(context))
  url.password = 'SECRET'
  const run = await runBeckon(['start'], {
    DATABASE_URL: url.href,
    BECKON_DATA_DIR: await freshFolder(context),
  })
  assertSentence(run, /^Cannot use the database at .*: password authentication failed/)
  assert.doesNotMatch(run.stderr, /SECRET/)
})

test('a database of somebody else stops the start with a sentence, and is left as it was', async (context) => {
  const role = `test_${randomBytes(8).toString('hex')}`
  const database = async (...statements: readonly string[]): Promise<string> => {
    const url = await serverDatabase(context)
    await withOwner(url, async (owner) => {
      for (const statement of statements) await owner.query(statement)
    })
    return url
  }
  const asRole = (url: string): string => Object.assign(new URL(url), { username: role, password: role }).href
  const theirs = await database(`create role ${role} login password '${role}'`)
  endWith(context, async () => {
    await withOwner(theirs, async (owner) => owner.query(`drop role ${role}`))
  })
  const ours = await serverDatabase(context)
  const start = async (url: string) =>
    runBeckon(['start'], { DATABASE_URL: url, BECKON_DATA_DIR: await freshFolder(context) })
  assert.equal((await runBeckon(['migrate'], { DATABASE_URL: ours })).code, 0)

  const remedy = 'or give Beckon a database of its own, for example: create database beckon owner \\w+\\.'
  assertSentence(
    await start(asRole(theirs)),
    new RegExp(
      `^The database \\w+ belongs to the role \\w+, and ${role} may create no tables in it: .* ${remedy}`,
    ),
  )
  assertSentence(
    await start(asRole(ours)),
    new RegExp(
      `^The tables in the database \\w+ belong to the role \\w+, and DATABASE_URL names ${role}: .*`,
    ),
  )
  const rails = await database('create table schema_migrations (version text)', 'create table users (id int)')
  const shop = await database('create table orders (id int)')
  assertSentence(
    await start(rails),
    /^The database \w+ belongs to another program, as its table schema_migrations/,
  )
  assertSentence(await start(shop), /^The database \w+ belongs to another program, as its table orders shows/)
  for (const command of ['api', 'worker']) {
    const run = await runBeckon([command], { DATABASE_URL: rails, BECKON_SECRET: 's'.repeat(32) })
    assertSentence(run, /belongs to another program/)
  }
  const { count } = await withOwner(shop, async (owner) =>
    owner.query(`select from pg_tables where schemaname = 'public'`),
  )
  assert.equal(count, 1)
})

test('a schema newer than the program stops start, api and worker, and is left as it was', async (context) => {
  const url = await serverDatabase(context)
  const folder = await freshFolder(context)
  const environment = { DATABASE_URL: url, BECKON_DATA_DIR: folder, BECKON_SECRET: 's'.repeat(32) }
  assert.equal((await runBeckon(['migrate'], environment)).code, 0)
  await withOwner(url, async (owner) =>
    owner.query(`insert into schema_migrations (version, name, sha256)
      select max(version) + 1, 'from-the-future', '\\x00' from schema_migrations`),
  )
  for (const command of ['start', 'api', 'worker', 'migrate']) {
    assertSentence(
      await runBeckon([command], environment),
      /^The database has schema \d+, this Beckon knows \d+: start the newer/,
    )
  }
})

test('a schema older than the program stops api and worker with what to do', async (context) => {
  const environment = { DATABASE_URL: await serverDatabase(context), BECKON_SECRET: 's'.repeat(32) }
  for (const command of ['api', 'worker']) {
    assertSentence(
      await runBeckon([command], environment),
      /^The database has schema 0, .*: run bin\/beckon migrate\.$/m,
    )
  }
})

test('a role without the secret says where to get it', async (context) => {
  const environment = {
    DATABASE_URL: await serverDatabase(context),
    BECKON_DATA_DIR: await freshFolder(context),
  }
  assert.equal((await runBeckon(['migrate'], environment)).code, 0)
  assertSentence(await runBeckon(['worker'], environment), /^There is no secret in .*: set BECKON_SECRET/)
})

test('a role on a data folder where nothing runs says how to start it, a command that there is no database', async (context) => {
  const environment = { BECKON_DATA_DIR: await freshFolder(context) }
  assertSentence(await runBeckon(['api'], environment), /^No Beckon runs on .*: start it with npm start/)
  const list = await runBeckon(['brand', 'list'], environment)
  assertSentence(list, /^There is no database in .*: npm start makes one/)
})

test('what is mistyped is answered with a sentence and code 2', async () => {
  for (const args of [['nonsense'], ['brand'], ['start', '--bogus'], ['backup-it'], ['key', 'create']]) {
    const run = await runBeckon(args)
    assert.equal(run.code, 2, args.join(' '))
    assert.match(run.stderr, /: see bin\/beckon .*--help\.\n$/)
    assert.equal(run.stderr.trim().split('\n').length, 1)
  }
})
