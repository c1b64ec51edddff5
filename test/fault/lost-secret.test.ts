import assert from 'node:assert/strict'
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { emptyDatabase } from '../support/database/database.ts'
import { askBeckon } from '../support/processes/ask-beckon.ts'
import { endWith, freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'

const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const
const SENTENCE = /^The database has 2 encrypted credentials that cannot be opened: /

type Body = Readonly<Record<string, unknown>>

test('a Beckon whose secret is lost does not start, and makes no new one', async (context) => {
  const { environment, secretFile } = await keptCredentials(context)
  const copy = `${secretFile}.copy`
  await rename(secretFile, copy)
  const start = await runBeckon(['start'], environment)
  assertSentence(start, /the file \S+secret is missing\. .*--new-secret/)
  await assert.rejects(access(secretFile), { code: 'ENOENT' })

  // The secret of another Beckon is no better than none, for every role.
  await writeFile(secretFile, 'f'.repeat(64), { mode: 0o600 })
  for (const command of ['start', 'api', 'worker']) {
    assertSentence(await runBeckon([command], environment), /secret is not the secret that encrypted them/)
  }
  const doctor = await runBeckon(['doctor'], environment)
  assert.equal(doctor.code, 1)
  assert.match(doctor.stdout, /^bad +credentials +2 cannot be opened/m)

  // An empty file would be a secret that everybody can guess.
  await writeFile(secretFile, '')
  const empty = await runBeckon(['start'], environment)
  assert.equal(empty.code, 1)
  assert.match(empty.stderr, /^The file \S+secret is empty: /)

  await rename(copy, secretFile)
  const again = await startBeckon(context, environment)
  assert.equal((await fetch(`${again.url}/readyz`)).status, 200)
})

test('--new-secret goes on without the credentials that cannot be opened', async (context) => {
  const { environment, secretFile, vapidKey, webhookId } = await keptCredentials(context)
  const old = await readFile(secretFile, 'utf8')
  await rm(secretFile)
  const { url, stdout } = await startBeckon(context, environment, ['--new-secret'])
  assert.match(stdout(), /2 credentials were given up/)
  assert.notEqual(await readFile(secretFile, 'utf8'), old)

  const { webhook } = await call(url, `/api/v1/webhooks/${webhookId}`)
  assert.equal(Object(webhook)['disabled_reason'], 'secret_lost')
  const rotated = Object(await call(url, `/api/v1/webhooks/${webhookId}/rotate`, {}))
  assert.match(rotated.webhook.secret, /^whsec_/)
  assert.equal(rotated.webhook.secrets.length, 2)
  const key = await readVapidKey(url)
  assert.match(key, /^B/)
  assert.notEqual(key, vapidKey)
})

/** A database with two sealed rows, and the data folder of the stopped Beckon that sealed them. */
async function keptCredentials(context: TestContext) {
  const database = await emptyDatabase()
  endWith(context, database.drop)
  const folder = await freshFolder(context)
  const environment = {
    DATABASE_URL: database.url,
    BECKON_DATA_DIR: folder,
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
  }
  const beckon = await startBeckon(context, environment)
  const vapidKey = await readVapidKey(beckon.url)
  const made = await call(beckon.url, '/api/v1/webhooks', {
    url: 'https://hooks.example/beckon',
    event_types: ['delivery.clicked'],
  })
  const webhookId = String(Object(made['webhook'])['id'])
  beckon.send('SIGTERM')
  await beckon.ended
  return { environment, secretFile: join(folder, 'secret'), vapidKey, webhookId }
}

async function readVapidKey(url: string): Promise<string> {
  return String((await call(url, '/api/v1/web-push-key'))['public_key'])
}

async function call(url: string, path: string, body?: object): Promise<Body> {
  const headers = { ...BRAND, 'content-type': 'application/json' }
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const reply: Body = Object(await (await askBeckon(`${url}${path}`, { headers, ...post })).json())
  assert.equal(reply['status_code'], '200', JSON.stringify(reply))
  return reply
}

function assertSentence(run: Awaited<ReturnType<typeof runBeckon>>, cause: RegExp): void {
  assert.match(run.stderr, SENTENCE)
  assert.match(run.stderr, cause)
  assert.equal(run.stderr.trim().split('\n').length, 1, run.stderr)
  assert.equal(run.code, 1)
}
