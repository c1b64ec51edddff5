import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { Client, type ClientOptions } from '../../web/client/client.ts'
import { BeckonError, BeckonUnreachable } from '../../web/client/failure.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type ProxyFault, startFaultyProxy } from '../support/processes/faulty-proxy.ts'
import { runProcess } from '../support/processes/processes.ts'
import { type RunningServer, startServer } from '../support/processes/server.ts'

const BIG = 9_007_199_254_740_993n

let server: RunningServer
before(async () => {
  server = await startServer()
})
after(async () => server.close())

test('an int64 comes back digit for digit', async (context) => {
  const { client } = await connect(context)
  const body = { title: 'Hi', message: 'x', notification_id: BIG }
  const { notification } = await client.call('POST /api/v1/web/broadcast/all', { body })
  const path = { id: notification.id }
  const read = await client.call('GET /api/v1/notifications/{id}', { path })
  assert.equal(read.notification.notification_id, BIG)
})

test('a lost answer leads to one notification, not two', async (context) => {
  const { client, proxy } = await connect(context, ['answer lost', 'none'])
  const body = { title: 'Hi', message: 'x' }
  await client.call('POST /api/v1/web/broadcast/all', { body })
  assert.equal(proxy.seen.length, 2)
  assert.equal(proxy.seen[0]?.idempotencyKey, proxy.seen[1]?.idempotencyKey)
  const { notifications } = await client.call('GET /api/v1/notifications', { query: { limit: 10 } })
  assert.equal(notifications.length, 1)
})

test('a call that nothing guards is not repeated when its answer is lost', async (context) => {
  const { client, proxy } = await connect(context, ['answer lost'])
  await assert.rejects(client.call('PATCH /api/v1/brand', { body: { name: 'Acme' } }), BeckonUnreachable)
  assert.equal(proxy.seen.length, 1)
})

test('Retry-After is waited for, whatever the call', async (context) => {
  const busy = { status: 503, retryAfter: '0' } as const
  const { client, proxy } = await connect(context, [busy, { ...busy, status: 429 }])
  const { brand } = await client.call('PATCH /api/v1/brand', { body: { name: 'Acme' } })
  assert.equal(brand.name, 'Acme')
  assert.equal(proxy.seen.length, 3)
})

test('a call whose outcome Beckon does not know is repeated only with a key', async (context) => {
  const unknown = { status: 503, retryAfter: '0', code: 'outcome_unknown' } as const
  const away = { ...unknown, code: 'database_away' } as const
  const { client, proxy } = await connect(context, [away, unknown, away, unknown])
  const unguarded = client.call('PATCH /api/v1/brand', { body: { name: 'Acme' } })
  await assert.rejects(
    unguarded,
    (error) => error instanceof BeckonError && error.code === 'outcome_unknown' && error.status === 503,
  )
  assert.equal(proxy.seen.length, 2)
  await client.call('POST /api/v1/web/broadcast/all', { body: { title: 'Hi', message: 'x' } })
  assert.equal(proxy.seen.length, 5)
})

test('until the deadline of the caller a call rides through an outage, with one key', async (context) => {
  const away = Array.from({ length: 12 }, () => ({ status: 503, retryAfter: '0' }) as const)
  const { client, proxy } = await connect(context, [...away, 'answer lost'])
  const body = { title: 'Hi', message: 'x' }
  await client.call('POST /api/v1/web/broadcast/all', { body, deadlineMs: 120_000 })
  assert.equal(proxy.seen.length, 14)
  assert.equal(new Set(proxy.seen.map(({ idempotencyKey }) => idempotencyKey)).size, 1)
  const { notifications } = await client.call('GET /api/v1/notifications', { query: { limit: 10 } })
  assert.equal(notifications.length, 1)
})

test('a refusal is an error with its code, and is not repeated', async (context) => {
  const { client, proxy } = await connect(context)
  const path = { id: 'a/b?c' }
  await assert.rejects(client.call('GET /api/v1/notifications/{id}', { path }), (error) => {
    assert.ok(error instanceof BeckonError)
    assert.deepEqual([error.status, error.code], [404, 'notification_not_found'])
    return error.requestId !== ''
  })
  assert.deepEqual(
    proxy.seen.map(({ endpoint }) => endpoint),
    ['GET /api/v1/notifications/a%2Fb%3Fc'],
  )
})

test('tracked events go in few calls and in order, and each is told what became of it', async (context) => {
  const { client, proxy } = await connect(context)
  await client.call('POST /api/v1/user/create', { body: { nv: [{ userID: 'ada' }] } })
  const events = Array.from({ length: 1_100 }, (_, at) => client.track(eventAt(at)))
  const refused = client.track({ ...eventAt(0), event_name: 'no/slash' })
  await client.flush()
  const outcomes = await Promise.all(events)
  assert.ok(outcomes.every(({ kind }) => kind === 'stored'))
  assert.equal((await refused).kind, 'refused')
  assert.equal(proxy.seen.length, 1 + 3)
})

test('an event whose answer was lost is stored once', async (context) => {
  const { client } = await connect(context, ['none', 'answer lost'])
  await client.call('POST /api/v1/user/create', { body: { nv: [{ userID: 'ada' }] } })
  const tracked = client.track(eventAt(0))
  await client.flush()
  assert.deepEqual(await tracked, { kind: 'stored' })
  const { events } = await client.call('GET /api/v1/events', { query: { event_name: 'looked' } })
  assert.equal(events.length, 1)
})

test('a tracked event rides through an outage without a setting, and deadlineMs ends that sooner', async (context) => {
  const away = { status: 503, retryAfter: '0', code: 'database_away' } as const
  const { client, proxy, brand } = await connect(context, ['none', ...Array.from({ length: 6 }, () => away)])
  await client.call('POST /api/v1/user/create', { body: { nv: [{ userID: 'ada' }] } })
  const tracked = client.track(eventAt(0))
  await client.flush()
  assert.deepEqual(await tracked, { kind: 'stored' })
  assert.equal(proxy.seen.length, 1 + 7)

  const closed = await startFaultyProxy(context, server.port, [away, away])
  const hasty = new Client({ url: closed.url, key: brand.secretKey, deadlineMs: 50 })
  const lost = hasty.track(eventAt(1))
  await hasty.close()
  assert.equal((await lost).kind, 'lost')
})

test('a wrong key says once that tracked events are not stored, and onLost gets each of them', async (context) => {
  const warn = context.mock.method(console, 'warn', () => undefined)
  const url = `http://127.0.0.1:${server.port}`
  const silent = new Client({ url, key: 'bk_secret_mistyped' })
  for (let at = 0; at < 1_100; at++) void silent.track(eventAt(at))
  await silent.close()
  assert.deepEqual(
    warn.mock.calls.map(({ arguments: [line] }) => line),
    [
      'beckon: tracked events are not stored. BeckonError: No valid API key. The key is mistyped, revoked, or of another Beckon.',
    ],
  )

  const lost: unknown[] = []
  const brand = await server.brand()
  const onLost: ClientOptions['onLost'] = ({ event_name }, { kind }) => lost.push([event_name, kind])
  const mistyped = new Client({ url, key: 'bk_secret_mistyped', onLost })
  void mistyped.track(eventAt(0))
  await mistyped.close()
  const valid = new Client({ url, key: brand.secretKey, onLost, trackWaitingMax: 1 })
  void valid.track({ ...eventAt(0), event_name: 'no/slash' })
  void valid.track(eventAt(1))
  await valid.close()
  assert.deepEqual(lost, [
    ['looked', 'lost'],
    ['looked', 'lost'],
    ['no/slash', 'refused'],
  ])
  assert.equal(warn.mock.callCount(), 1)
})

test('a program that ends has sent what it tracked', async (context) => {
  const { client, brand, proxy } = await connect(context)
  await client.call('POST /api/v1/user/create', { body: { nv: [{ userID: 'ada' }] } })
  await runProcess(join(import.meta.dirname, '../support/people/track-and-end.ts'), [
    proxy.url,
    brand.secretKey,
  ])
  const { events } = await client.call('GET /api/v1/events', { query: { event_name: 'looked' } })
  assert.equal(events.length, 1)
})

test('what is no JSON comes as a stream', async (context) => {
  const { client } = await connect(context)
  const list = `${JSON.stringify({ platform: 'android', token: 'a'.repeat(140), user_id: 'ada' })}\n`
  const imported = await client.call('POST /api/v1/subscriptions/import', {
    bodyType: 'application/x-ndjson',
    body: list,
  })
  assert.match(await imported.text(), /"imported":1|"registered":1|"processed":1/)
  const exported = await client.call('GET /api/v1/events/export', { query: { format: 'csv' } })
  assert.equal(exported.status, 200)
  await exported.body?.cancel()
})

function eventAt(at: number) {
  return { userID: 'ada', event_name: 'looked', attributes: { at } } as const
}

async function connect(context: TestContext, script: readonly ProxyFault[] = []) {
  const brand: TestBrand = await server.brand()
  const proxy = await startFaultyProxy(context, server.port, script)
  const client = new Client({ url: proxy.url, key: brand.secretKey })
  context.after(async () => client.close())
  return { client, proxy, brand }
}
