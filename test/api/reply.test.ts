import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { replySuccess, replyText } from '../../src/http/reply.ts'
import type { OpenRoute } from '../../src/http/route.ts'
import { call, readAll, startServer } from '../support/processes/server.ts'
import { echoRoute } from '../support/reference/routes.ts'

const get = (path: string, handler: OpenRoute['handler']): OpenRoute =>
  echoRoute({ method: 'GET', path, body: 'none', handler })

let wasAborted = Promise.withResolvers<void>()

const routes = [
  get('/thing', async () => replySuccess({ thing: { id: 1n } }, { processed: 3 })),
  get('/warned', async () =>
    replySuccess({}, { warnings: [{ field: 'x', code: 'unknown_field', message: 'What?' }] }),
  ),
  get('/exact', async () => ({ status: 200, body: { message: 'success' }, isExact: true })),
  get('/text', async () => replyText('hello', 'text/plain', { 'cache-control': 'max-age=60' })),
  get('/empty', async () => ({ status: 204, body: null })),
  get('/broken', async () => {
    throw new Error('a secret reason')
  }),
  get('/stream', async () => ({
    status: 200,
    headers: { 'content-type': 'text/csv' },
    body: (async function* () {
      yield 'a,b\n'
      yield Buffer.from('1,2\n')
    })(),
  })),
  get('/stream-broken', async () => ({
    status: 200,
    body: (async function* () {
      yield 'half'
      throw new Error('the rest is gone')
    })(),
  })),
  get('/stream-endless', async (_, { signal }) => ({
    status: 200,
    body: (async function* () {
      yield 'data: 1\n\n'
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve)
      })
      wasAborted.resolve()
    })(),
  })),
]

const server = await startServer({ routes })
after(server.close)

test('200 in the envelope, with the request id in body and header', async () => {
  const { text, headers } = await call(server.port, { path: '/thing' })
  const id = String(headers['x-request-id'])
  assert.equal(
    text,
    `{"message":"success","processed":3,"status_code":"200","request_id":"${id}","thing":{"id":1}}`,
  )
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
})

test('every reply has its own request id, whatever the caller sends', async () => {
  const headers = { 'x-request-id': 'mine' }
  const first = await call(server.port, { path: '/thing', headers })
  const second = await call(server.port, { path: '/nothing', headers })
  assert.match(
    String(first.headers['x-request-id']),
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  )
  assert.notEqual(first.headers['x-request-id'], second.headers['x-request-id'])
})

test('every reply forbids sniffing, framing, caching and scripts, and says nothing about the server', async () => {
  for (const path of ['/thing', '/nothing', '/broken', '/stream']) {
    const { headers } = await call(server.port, { path })
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
    assert.equal(headers['server'], undefined)
    assert.equal(headers['x-powered-by'], undefined)
  }
})

test('200 with warnings only if there are any', async () => {
  const { body } = await call(server.port, { path: '/warned' })
  assert.deepEqual(body['warnings'], [{ field: 'x', code: 'unknown_field', message: 'What?' }])
  assert.equal('warnings' in (await call(server.port, { path: '/thing' })).body, false)
})

test('an exact body gets nothing added', async () => {
  assert.equal((await call(server.port, { path: '/exact' })).text, '{"message":"success"}')
})

test('a text has its own type, and its headers win over the usual ones', async () => {
  const { text, headers } = await call(server.port, { path: '/text' })
  assert.equal(text, 'hello')
  assert.equal(headers['content-type'], 'text/plain')
  assert.equal(headers['cache-control'], 'max-age=60')
})

test('204 has no body', async () => {
  const { status, text, headers } = await call(server.port, { path: '/empty' })
  assert.equal(headers['content-length'], undefined)
  assert.equal(status, 204)
  assert.equal(text, '')
})

test('500 keeps the reason for the log and gives the caller a number to quote', async () => {
  const { status, body, text } = await call(server.port, { path: '/broken' })
  assert.equal(status, 500)
  assert.equal(body['code'], 'internal')
  assert.ok(!text.includes('secret'))
  const line = server.log.find((entry) => entry.includes(String(body['request_id'])))
  assert.match(line ?? '', /a secret reason/)
})

test('a stream arrives piece by piece and whole', async () => {
  const { text, headers } = await call(server.port, { path: '/stream' })
  assert.equal(text, 'a,b\n1,2\n')
  assert.equal(headers['content-type'], 'text/csv')
})

test('a stream that breaks half way is never taken for the whole', async () => {
  await assert.rejects(call(server.port, { path: '/stream-broken' }), /aborted|hang up|reset/)
})

test('a stream is told when its reader is gone', async () => {
  wasAborted = Promise.withResolvers<void>()
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET /stream-endless HTTP/1.1\r\nhost: a\r\n\r\n')
  socket.once('data', () => socket.destroy())
  await readAll(socket)
  await wasAborted.promise
})
