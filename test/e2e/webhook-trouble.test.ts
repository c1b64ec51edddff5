import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, keyHeaders } from '../support/processes/server.ts'
import { until } from '../support/until.ts'
import {
  addHook,
  allowed,
  api,
  endpoint,
  happen,
  hasten,
  hooks,
  listOf,
  log,
  NAMES,
  objectOf,
  server,
  untilTried,
} from '../support/webhooks/hook-calls.ts'
import { startHookServer } from '../support/webhooks/hook-server.ts'

test('an endpoint that hangs is left after the time limit, and holds up nobody else', async (t) => {
  const [slow, quick] = [await startHookServer(), hooks]
  t.after(slow.close)
  allowed.add(slow.host)
  slow.answer(() => undefined)
  const hanging = await addHook({ url: slow.url })
  const other = await addHook({ url: quick.url })
  await happen(hanging, 200)
  await until(() => slow.open() > 0, { what: 'a call that hangs' })
  await happen(other, 20)
  await until(() => quick.arrived.length === 20, { what: 'the calls of the other' })
  assert.ok((await log(other)).length === 20)
  await until(async () => (await endpoint(hanging))['failing_since'] !== null, { what: 'the failure' })
  const tried = (await log(hanging)).filter(({ attempts }) => listOf(attempts).length > 0)
  const [attempt] = listOf(tried[0]?.['attempts'])
  assert.deepEqual([attempt?.['error'], attempt?.['status']], ['timeout', null])
  assert.ok(slow.open() <= 9)
  await api(hanging.brand, 'DELETE', `/${hanging.id}`)
})

test('an answer of 60 MiB is read for its beginning only', async () => {
  const hook = await addHook()
  let sent = 0
  hooks.answer((response) => {
    const part = Buffer.alloc(64 * 1024, 'x')
    response.writeHead(200, { 'content-length': String(60 * 1024 * 1024) })
    const pour = (): void => {
      while (!response.destroyed && sent < 60 * 1024 * 1024) {
        sent += part.length
        if (!response.write(part)) return void response.once('drain', pour)
      }
    }
    pour()
  })
  await happen(hook)
  const [message] = await untilTried(hook)
  assert.equal(message?.['state'], 'delivered')
  assert.equal(String(listOf(message['attempts'])[0]?.['answer']).length, 500)
  await until(() => hooks.open() === 0, { what: 'the end of the connection' })
  assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes were taken`)
})

test('a redirect is a failure and leads nowhere', async () => {
  const hook = await addHook()
  hooks.answer((response, { path }) => {
    if (path === '/hook') response.writeHead(307, { location: 'http://127.0.0.1:1/inside' }).end('elsewhere')
    else response.writeHead(204).end()
  })
  await happen(hook)
  const [message] = await untilTried(hook)
  assert.equal(message?.['state'], 'waiting')
  assert.equal(listOf(message['attempts'])[0]?.['status'], 307)
  assert.equal(hooks.arrived.length, 1)
})

test('an answer that changes the protocol is a failure, and does not hold its place for ever', async () => {
  const hook = await addHook()
  hooks.answer((response) => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n')
  })
  await happen(hook)
  const [message] = await untilTried(hook)
  assert.equal(listOf(message?.['attempts'])[0]?.['error'], 'no_answer')
})

test('410 disables the endpoint; enabled again, it gets what waited', async () => {
  const hook = await addHook()
  hooks.answer((response) => void response.writeHead(410).end())
  await happen(hook, 3)
  await until(async () => (await endpoint(hook))['enabled'] === false, { what: 'the end of it' })
  const { disabled_reason: reason, disabled_at: at } = await endpoint(hook)
  assert.deepEqual([reason, at === null], ['gone', false])
  hooks.answer((response) => void response.writeHead(204).end())
  await api(hook.brand, 'PATCH', `/${hook.id}`, { enabled: true })
  await hasten(hook)
  await until(async () => (await log(hook)).every(({ state }) => state === 'delivered'), { what: 'delivery' })
})

test('an endpoint that fails for days is disabled, and says so', async () => {
  const hook = await addHook()
  hooks.answer((response) => void response.writeHead(500).end('broken'))
  await happen(hook)
  await untilTried(hook)
  await server.deps.database.query(
    `update webhook_endpoints set failing_since = now() - interval '5 days 1 minute' where brand_id = $1`,
    [hook.brand.brandId],
  )
  await hasten(hook)
  await until(async () => (await endpoint(hook))['disabled_reason'] === 'failing', { what: 'the end of it' })
  const path = `/api/v1/audit?subject_type=webhook&subject_id=${hook.id}&action=changed`
  const { body } = await call(server.port, { path, headers: keyHeaders(hook.brand) })
  const [line, ...others] = listOf(body['audit'])
  assert.deepEqual(others, [])
  assert.equal(line?.['actor'], 'system')
  assert.deepEqual(objectOf(line['before']), { disabled_at: null, disabled_reason: null })
  assert.equal(objectOf(line['after'])['disabled_reason'], 'failing')
})

test('Retry-After pauses the whole endpoint', async () => {
  const hook = await addHook()
  hooks.answer((response) => void response.writeHead(429, { 'retry-after': '3600' }).end())
  await happen(hook)
  const [message] = await untilTried(hook)
  assert.ok(Date.parse(String(message?.['next_attempt_at'])) > Date.now() + 3_500_000)
  assert.ok(Date.parse(String((await endpoint(hook))['paused_until'])) > Date.now() + 3_500_000)
  await happen(hook)
  const other = await addHook({}, hook.brand)
  hooks.answer((response) => void response.writeHead(204).end())
  await api(hook.brand, 'PATCH', `/${hook.id}`, { event_types: ['journey.goal'] })
  await happen(other)
  await until(async () => (await log(other))[0]?.['state'] === 'delivered', { what: 'the other endpoint' })
  assert.equal((await log(hook)).filter(({ attempts }) => listOf(attempts).length > 0).length, 1)
})

test('a name that leads inside is not called, whatever its name server says', async () => {
  for (const name of NAMES.keys()) {
    const hook = await addHook({ url: `https://${name}/` })
    await happen(hook)
    const [message] = await untilTried(hook)
    assert.equal(listOf(message?.['attempts'])[0]?.['error'], 'private_address', name)
  }
})
