import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findReadiness } from '../../src/http/health/ready.ts'
import { latestVersion } from '../../src/store/migrate.ts'
import { holdSending, resumeSending } from '../../src/store/push/sending-hold.ts'
import { call, startServer } from '../support/processes/server.ts'
import { assertDocumented } from '../support/reference/documented.ts'

let now = 0

const server = await startServer({ clock: { now: () => now } })
after(server.close)

test('200 on /healthz without a key', async () => {
  assert.equal((await call(server.port, { path: '/healthz' })).status, 200)
})

test('200 on /readyz while the database answers with the right schema', async () => {
  const answer = await call(server.port, { path: '/readyz' })
  const { status, body } = answer
  assert.equal(status, 200)
  assertDocumented({ method: 'GET', path: '/readyz' }, answer)
  assert.equal(body['ready'], true)
  assert.deepEqual(body['checks'], {
    database: { ok: true, detail: `answers, schema ${latestVersion()}` },
    channels: { ok: true, detail: 'none is paused' },
    sending: { ok: true, detail: 'not held' },
    replication: { ok: true, detail: 'one server, no standbys' },
  })
})

test('200 on /readyz while sending is held, which shows', async () => {
  await holdSending(server.deps.database)
  now += 1_000
  const { status, body } = await call(server.port, { path: '/readyz' })
  assert.deepEqual([status, body['ready']], [200, true])
  assert.match(JSON.stringify(body['checks']), /"sending":{"ok":false,"detail":"held since 20.*beckon resume/)
  await resumeSending(server.deps.database)
})

test('503 on /readyz when the schema is newer', async () => {
  const version = latestVersion() + 1
  const admin = `insert into schema_migrations (version, name, sha256) values (${version}, 'x', '\\x00')`
  await server.asOwner(admin)
  now += 1_000
  const { status, body } = await call(server.port, { path: '/readyz' })
  assert.equal(status, 503)
  assert.equal(body['code'], 'not_ready')
  assert.match(JSON.stringify(body['checks']), new RegExp(`schema ${version}, this Beckon knows`))
  await server.asOwner(`delete from schema_migrations where version = ${version}`)
})

test('a check that is not vital is an alert: it shows, and readiness stays', async () => {
  const checks = [
    { name: 'channels', isVital: false, check: async () => ({ isOk: false, detail: 'no credentials' }) },
    { name: 'queue', isVital: true, check: async () => ({ isOk: true, detail: 'short' }) },
  ]
  assert.deepEqual(await findReadiness(server.deps, checks), {
    isReady: true,
    checks: { channels: { isOk: false, detail: 'no credentials' }, queue: { isOk: true, detail: 'short' } },
  })
})

async function check(): Promise<never> {
  throw new Error('password authentication failed for user x')
}

test('a check that throws is not ready, and says nothing of what it threw', async () => {
  const { isReady, checks } = await findReadiness(server.deps, [{ name: 'database', isVital: true, check }])
  assert.equal(isReady, false)
  assert.deepEqual(checks['database'], { isOk: false, detail: 'not reachable' })
})

test('200 on /metrics counts requests by row and status, never by address', async () => {
  await call(server.port, { path: '/HEALTHZ/' })
  await call(server.port, { path: '/no/such/place' })
  const { status, headers, text } = await call(server.port, { path: '/metrics' })
  assert.equal(status, 200)
  assert.match(String(headers['content-type']), /^text\/plain/)
  assert.match(text, /beckon_http_requests_total\{method="GET",route="\/healthz",status="200"[^}]*\} [1-9]/)
  assert.match(text, /beckon_http_requests_total\{method="other",route="none",status="404"[^}]*\} 1/)
  assert.match(text, /beckon_http_request_duration_seconds_bucket\{[^}]*route="\/healthz"/)
  assert.ok(!text.includes('such'))
})
