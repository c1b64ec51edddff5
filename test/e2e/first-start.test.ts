import assert from 'node:assert/strict'
import { exec } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { findPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { withOwner } from '../../src/store/db.ts'
import { askBeckon } from '../support/processes/ask-beckon.ts'
import {
  type Environment,
  freshFolder,
  launch,
  type RunningBeckon,
  runBeckon,
  startBeckon,
} from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

test('the first start makes a brand, shows its keys once, and its curl lines work as they stand', async (context) => {
  const folder = await freshFolder(context)
  const environment = { BECKON_DATA_DIR: folder, BECKON_SANDBOX: 'on' }
  const first = await startBeckon(context, environment)
  const said = first.stdout()
  assert.doesNotMatch(first.stderr(), /"route"/, 'requests are logged before the banner')
  const [secretKey = ''] = /bk_secret_[\w-]{40,}/.exec(said) ?? []
  const [publishableKey = ''] = /bk_public_[\w-]{40,}/.exec(said) ?? []
  assert.notEqual(secretKey, '')
  assert.notEqual(publishableKey, '')

  const [shop = ''] = /^ *(http\S+\/demo#\S+)$/m.exec(said)?.slice(1) ?? []
  assert.equal((await askBeckon(shop)).status, 200)

  const [link = ''] = /^ *(http\S+\/auth\/link\/\S+)$/m.exec(said)?.slice(1) ?? []
  assert.match(await (await askBeckon(link)).text(), /Your e-mail address/)
  const member = new URLSearchParams({ email: 'ada@example.com', password: 'the first administrator' })
  const { origin } = new URL(link)
  assert.equal((await askBeckon(link, { method: 'POST', headers: { origin }, body: member })).status, 200)
  assert.match((await passwordHash(folder)) ?? '', /^scrypt-15-8-3\$/)

  const [send = '', look = ''] = said.match(/^ *curl .*$/gm) ?? []
  const { stdout: sent } = await promisify(exec)(send)
  assert.equal(JSON.parse(sent).notification.audience, 1)
  await until(async () => JSON.parse((await promisify(exec)(look)).stdout).arrivals.length === 1, {
    what: 'the push in the inbox',
  })

  assert.equal((await stat(join(folder, 'secret'))).mode & 0o777, 0o600)
  assert.equal((await stat(folder)).mode & 0o077, 0)
  assert.doesNotMatch(first.stderr(), /"level":"(?:warn|error|fatal)"/)
  assert.ok(!first.stderr().includes(secretKey) && !first.stderr().includes(publishableKey))
  for (const file of await readdir(folder)) {
    if (!(await stat(join(folder, file))).isFile()) continue
    assert.ok(!(await readFile(join(folder, file), 'latin1')).includes(secretKey), `${file} has the key`)
  }
  const list = await runBeckon(['key', 'list', 'demo'], environment)
  assert.ok(!list.stdout.includes(secretKey))
  first.send('SIGTERM')
  assert.deepEqual(await first.ended, { code: 0, signal: null })
  assert.match(first.stdout(), /\nStopped\.\n$/)

  assert.match(first.stdout(), /^Creating the database\. The first start takes/)
  const second = await startBeckon(context, environment)
  assert.doesNotMatch(second.stdout(), /Creating the database/)
  assert.match(second.stdout(), /^A new key: bin\/beckon key create BRAND/m)
  assert.doesNotMatch(second.stdout(), /bk_(?:secret|public)_/)
  const headers = { 'x-brand-id': 'demo', 'x-api-key': secretKey }
  assert.equal((await askBeckon(`${second.url}/api/v1/brand`, { headers })).status, 200)
})

/** The stored password of the only member. */
async function passwordHash(folder: string): Promise<string | undefined> {
  let hash: string | undefined
  await withOwner((await findPostgres(folder)) ?? '', async (db) => {
    const { rows } = await db.query<{ password: string }>('select password from member_accounts')
    hash = rows[0]?.password
  })
  return hash
}

/** Starting a Beckon is slow, so the cases share one; the last one stops it. */
test('beside a running Beckon', async (context) => {
  const environment = {
    BECKON_DATA_DIR: await freshFolder(context),
    BECKON_BRAND_ID: 'acme',
    BECKON_API_KEY: 'a-key-that-the-operator-chose',
    BECKON_PUBLISHABLE_KEY: 'another-key-for-web-pages',
  }
  const beckon = await startBeckon(context, environment)

  await context.test('a brand and keys from the settings exist, and no demo brand does', async () => {
    assert.doesNotMatch(beckon.stdout(), /operator-chose|for-web-pages|bk_/)
    const headers = { 'x-brand-id': 'acme', 'x-api-key': environment.BECKON_API_KEY }
    assert.equal((await askBeckon(`${beckon.url}/api/v1/brand`, { headers })).status, 200)
    const brands = await runBeckon(['brand', 'list'], environment)
    assert.match(brands.stdout, /^acme /m)
    assert.doesNotMatch(brands.stdout, /^demo/m)
  })

  await context.test('one role runs by itself, and drains on SIGTERM', async (inner) => {
    const worker = launch(inner, ['worker'], { ...environment, BECKON_LOG_LEVEL: 'debug' })
    await until(() => /in service/.test(worker.stderr()), { what: 'a worker in service' })
    worker.send('SIGTERM')
    assert.deepEqual(await worker.ended, { code: 0, signal: null })
  })

  await context.test(
    'keys are made, listed, used and revoked from the command line, and brands are listed after a stop',
    async () => makeAndRevoke(beckon, environment),
  )
})

async function makeAndRevoke(beckon: RunningBeckon, environment: Environment): Promise<void> {
  const type = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runBeckon(words, environment)
    assert.equal(code, 0, stderr)
    return stdout
  }
  await type('brand', 'create', 'shop', '--name', 'The Shop')
  const [key = ''] = (await type('key', 'create', 'shop', '--scope', 'brand', '--label', 'ops')).split('\n')
  const [, number = ''] = /^(\d+) +secret +bk_secret_\S+ +ops /m.exec(await type('key', 'list', 'shop')) ?? []
  const headers = { authorization: `Bearer ${key}` }
  const ask = async (): Promise<number> => (await askBeckon(`${beckon.url}/api/v1/brand`, { headers })).status
  assert.equal(await ask(), 200)

  await type('key', 'revoke', 'shop', number)
  await until(async () => (await ask()) === 401, { what: 'the key to be refused' })
  const again = await runBeckon(['key', 'revoke', 'shop', number], environment)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /has no live key/)

  beckon.send('SIGTERM')
  await beckon.ended
  assert.match(await type('brand', 'list'), /^shop +The Shop /m)
  const doctor = await runBeckon(['doctor'], environment)
  assert.match(doctor.stdout, /^warn +database +not running/m)
}
