import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { after, before, test } from 'node:test'
import { replySuccess } from '../../src/http/reply.ts'
import type { Route } from '../../src/http/route.ts'
import { call, startServer, type TestServer } from '../support/processes/server.ts'

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/things/{id}',
    group: 'Things',
    summary: 'Reads a thing',
    scopes: null,
    body: 'none',
    handler: async (_, request) => replySuccess({ params: request.params, path: request.path }),
  },
  {
    method: 'POST',
    path: '/api/v1/things/{id}',
    group: 'Things',
    summary: 'Changes a thing',
    scopes: null,
    body: 'none',
    handler: async () => replySuccess({}),
  },
]

/** A client must not send CONNECT to a server that is no proxy; Node hangs up on one who does. */
const TAKEN = new Set(['GET', 'HEAD', 'POST', 'CONNECT'])

let server: TestServer
before(async () => {
  server = await startServer({ routes })
})
after(async () => server.close())

for (const path of [
  '/api/v1/things/aBc',
  '/API/V1/Things/aBc',
  '/api/v1/things/aBc/',
  '/Api/v1/THINGS/aBc/?x=1',
])
  test(`200 for ${path}, with the parameter's case kept`, async () => {
    const { status, body } = await call(server.port, { path })
    assert.equal(status, 200)
    assert.deepEqual(body['params'], { id: 'aBc' })
    assert.equal(body['path'], '/api/v1/things/{id}')
  })

test('404 with the envelope where there is nothing', async () => {
  const { status, body, headers } = await call(server.port, { path: '/api/v1/nothing' })
  assert.equal(status, 404)
  assert.equal(body['code'], 'not_found')
  assert.equal(body['status_code'], '404')
  assert.equal(body['processed'], 0)
  assert.equal(body['request_id'], headers['x-request-id'])
})

test('405 names the methods an address takes', async () => {
  const { status, body, headers } = await call(server.port, { method: 'DELETE', path: '/API/v1/things/7/' })
  assert.equal(status, 405)
  assert.equal(body['code'], 'method_not_allowed')
  assert.equal(headers['allow'], 'GET, HEAD, POST')
})

for (const method of METHODS.filter((name) => !TAKEN.has(name)))
  test(`405 for ${method} where there is something, 404 where there is nothing`, async () => {
    const { status, headers } = await call(server.port, { method, path: '/api/v1/things/7' })
    assert.equal(status, 405)
    assert.equal(headers['allow'], 'GET, HEAD, POST')
    assert.equal((await call(server.port, { method, path: '/nothing' })).status, 404)
    assert.deepEqual(server.log, [])
  })

test('200 without a body for HEAD', async () => {
  const { status, text } = await call(server.port, { method: 'HEAD', path: '/api/v1/things/7' })
  assert.equal(status, 200)
  assert.equal(text, '')
})
