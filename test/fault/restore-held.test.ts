import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { Database } from '../../src/store/db.ts'
import { PATIENT } from '../support/database/database.ts'
import { listIn } from '../support/journeys/runs.ts'
import { askBeckon } from '../support/processes/ask-beckon.ts'
import { endWith, freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'
import { untilLookedAt } from '../support/push/sending-hold.ts'
import { until } from '../support/until.ts'

const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a-key-of-the-test-brand' } as const

type Body = Readonly<Record<string, unknown>>

function environmentOf(dataDir: string) {
  return {
    BECKON_SANDBOX: 'on',
    BECKON_DATA_DIR: dataDir,
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
    BECKON_WORKER_PROCESSES: '2',
  }
}

async function call(url: string, path: string, body?: object): Promise<Body> {
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const reply = await askBeckon(`${url}${path}`, {
    headers: { ...BRAND, 'content-type': 'application/json' },
    ...post,
  })
  return Object(await reply.json())
}

/** A Beckon with one notification that is due in a day, as a backup; it is stopped when this returns. */
async function makeBackup(context: TestContext): Promise<string> {
  const file = join(await freshFolder(context), 'night.backup')
  await context.test('a backup of the night before', async (inner) => {
    const environment = environmentOf(join(await freshFolder(inner), 'data'))
    const { url } = await startBeckon(inner, environment)
    const made = async () => call(url, '/sandbox/devices', { platform: 'android' })
    await until(async () => (await made())['status_code'] === '200', { what: 'the sandbox' })
    const { device } = await made()
    await call(url, '/api/v1/subscriptions', { ...Object(device), user_id: 'ada' })
    const send = {
      user_id: 'ada',
      title: 'Once',
      message: 'and no more',
      time: 86_400,
    }
    assert.equal((await call(url, '/api/v1/android/send', send))['status_code'], '200')
    assert.equal((await runBeckon(['backup', file], environment)).code, 0)
  })
  return file
}

async function openCopy(context: TestContext, dataDir: string): Promise<Database> {
  const url = await findPostgres(dataDir)
  assert.ok(url !== null)
  const database = new Database({ ...PATIENT, url, connectionsMax: 2, name: 'beckon test' })
  endWith(context, async () => database.close())
  return database
}

test('restored with --hold, a Beckon sends nothing through kills and restarts, until beckon resume', async (context) => {
  const file = await makeBackup(context)
  const dataDir = join(await freshFolder(context), 'data')
  const environment = environmentOf(dataDir)
  const restored = await runBeckon(['restore', file, '--hold'], environment)
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(restored.stdout, /^Sending is held: bin\/beckon resume /m)

  const first = await startBeckon(context, environment)
  assert.match(first.stdout(), /Nothing is sent: sending is held since 20/)
  const database = await openCopy(context, dataDir)
  await database.query(
    `update notifications set plan_at = now(), send_at = now(), expires_at = now() + interval '1 hour'`,
  )
  await untilLookedAt(database)
  first.send('SIGKILL')
  await first.ended

  const { url } = await startBeckon(context, environment)
  await untilLookedAt(database)
  const arrivals = async () => listIn((await call(url, '/sandbox/inbox'))['arrivals'])
  await until(async () => (await call(url, '/sandbox/inbox'))['status_code'] === '200', { what: 'the inbox' })
  assert.deepEqual(await arrivals(), [])
  assert.match(JSON.stringify(await call(url, '/readyz')), /"sending":{"ok":false/)
  const metrics = async () => (await fetch(`${url}/metrics`)).text()
  await until(async () => /^beckon_sending_held{[^}]*} 1$/m.test(await metrics()), { what: 'the alert' })
  const doctor = await runBeckon(['doctor'], { ...environment, PORT: new URL(url).port })
  assert.match(doctor.stdout, /^warn +sending +held since 20/m)
  assert.equal(doctor.code, 0, doctor.stdout)

  const resumed = await runBeckon(['resume'], environment)
  assert.deepEqual([resumed.code, resumed.stdout], [0, 'Sending goes on.\n'])
  await until(async () => (await arrivals()).length > 0, { what: 'the notification' })
  await untilLookedAt(database)
  assert.equal((await arrivals()).length, 1)

  const again = await runBeckon(['resume'], environment)
  assert.deepEqual([again.code, again.stdout], [0, 'Sending was not held.\n'])
  const skipped = await runBeckon(['resume', '--skip-due'], environment)
  assert.equal(skipped.code, 1)
  assert.match(skipped.stderr, /not held, so nothing was skipped/)
  assert.equal((await runBeckon(['hold'], environment)).code, 0)
  const passed = await runBeckon(['resume', '--skip-due'], environment)
  assert.match(passed.stdout, /cancelled because their time had come: 0\.\n(?:.*: 0\.\n)+Sending goes on\./)
})
