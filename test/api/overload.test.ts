import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HEALTH_ROUTES } from '../../src/http/health/health.ts'
import { replySuccess } from '../../src/http/reply.ts'
import { call, startServer } from '../support/processes/server.ts'
import { echoRoute } from '../support/reference/routes.ts'

test('503 with Retry-After for one request too many, at once; health is still answered', async () => {
  const open = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  let waiting = 0
  const slow = echoRoute({
    method: 'GET',
    path: '/slow',
    body: 'none',
    handler: async () => {
      waiting += 1
      if (waiting === 3) arrived.resolve()
      await open.promise
      return replySuccess({})
    },
  })
  const server = await startServer({ routes: [slow, ...HEALTH_ROUTES], options: { inFlightMax: 3 } })
  const running = [1, 2, 3].map(async () => call(server.port, { path: '/slow' }))
  await arrived.promise

  const refused = await call(server.port, { path: '/slow' })
  assert.equal(refused.status, 503)
  assert.equal(refused.body['code'], 'overloaded')
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal((await call(server.port, { path: '/healthz' })).status, 200)
  assert.equal((await call(server.port, { path: '/readyz' })).status, 200)
  const { text } = await call(server.port, { path: '/metrics' })
  assert.match(text, /beckon_http_requests_in_flight\{[^}]*\} 3/)
  assert.match(text, /beckon_http_requests_shed_total\{[^}]*\} 1/)

  open.resolve()
  assert.deepEqual(
    (await Promise.all(running)).map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal((await call(server.port, { path: '/slow' })).status, 200)
  await server.close()
})

test('503 while the event loop runs late, and 200 again after', async () => {
  // Machines that are shared stop a process for a tenth of a second now and then; half a second is this test's own doing.
  const options = { loopDelayMaxMs: 500, lateInFlightMin: 0 }
  const server = await startServer({ routes: [echoRoute()], options })
  const seen = new Set<number>()
  for (let tries = 0; tries < 200 && !seen.has(503); tries++) seen.add(await callLate(server.port))
  assert.ok(seen.has(503))
  let status = 503
  for (let tries = 0; tries < 10_000 && status !== 200; tries++)
    status = (await call(server.port, { path: '/echo', body: {} })).status
  assert.equal(status, 200)
  await server.close()
})

test('200 for a caller who comes alone, however late the event loop runs', async () => {
  const server = await startServer({ routes: [echoRoute()], options: { loopDelayMaxMs: 500 } })
  const seen = new Set<number>()
  for (let tries = 0; tries < 5; tries++) seen.add(await callLate(server.port))
  assert.deepEqual([...seen], [200])
  await server.close()
})

/** Keeps the event loop busy for a second, then calls; gives the status. */
async function callLate(port: number): Promise<number> {
  const until = performance.now() + 1_000
  while (performance.now() < until);
  return (await call(port, { path: '/echo', body: {} })).status
}
