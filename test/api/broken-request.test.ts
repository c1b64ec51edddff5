import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { parseJson } from '../../src/domain/values/json.ts'
import { HEALTH_ROUTES } from '../../src/http/health/health.ts'
import { errorCode } from '../../src/runtime/errors.ts'
import { call, readAll, sendRaw, startServer } from '../support/processes/server.ts'
import { echoRoute } from '../support/reference/routes.ts'

const HEADER_BYTES_MAX = 8_192

const server = await startServer({
  routes: [echoRoute(), echoRoute({ method: 'GET', path: '/things/{id}', body: 'none' })],
  options: { headerBytesMax: HEADER_BYTES_MAX },
})
after(server.close)

/** For requests that never end; a slow machine would be too slow for it with any other. */
const impatient = await startServer({
  routes: [echoRoute()],
  options: { headersTimeoutMs: 200, bodyTimeoutMs: 200, requestTimeoutMs: 1_000, timeoutCheckMs: 20 },
})
after(impatient.close)

type RawReply = {
  readonly status: number
  readonly head: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A reply read by hand, to see that what was written past Fastify is well-formed too. */
function readReply(text: string): RawReply {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  assert.equal(Number(/content-length: (\d+)/i.exec(head)?.[1]), Buffer.byteLength(body))
  assert.match(head, /x-content-type-options: nosniff/i)
  const value = parseJson(body)
  assert.ok(typeof value === 'object' && value !== null)
  const fields = Object.fromEntries(Object.entries(value))
  assert.equal(fields['request_id'], /x-request-id: (\S+)/i.exec(head)?.[1])
  return { status: Number(head.slice(9, 12)), head, body: fields }
}

const MALFORMED: readonly (readonly [string, string])[] = [
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['a space in a header name', 'GET / HTTP/1.1\r\nhost: a\r\nbad header: 1\r\n\r\n'],
  ['a length that is no number', 'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n'],
  [
    'a length and chunks together',
    'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
  ],
  ['TLS on a plain port', '\u0016\u0003\u0001\u0002\u0000\u0001'],
]
for (const [name, bytes] of MALFORMED)
  test(`400 for ${name}`, async () => {
    const { status, head, body } = readReply(await sendRaw(server.port, bytes))
    assert.equal(status, 400)
    assert.equal(body['code'], 'malformed_request')
    assert.match(head, /connection: close/i)
  })

async function sendWithoutHost(version: string): Promise<string> {
  return sendRaw(server.port, `GET /things/1 HTTP/${version}\r\nconnection: close\r\n\r\n`)
}

test('400 for HTTP/1.1 without a Host, which HTTP/1.0 need not send', async () => {
  const { status, body } = readReply(await sendWithoutHost('1.1'))
  assert.deepEqual([status, body['code']], [400, 'malformed_request'])
  assert.equal(body['message'], 'The request is not valid HTTP: it has no Host header.')
  assert.equal(readReply(await sendWithoutHost('1.0')).status, 200)
})

const ODD_HOSTS: readonly (readonly [string, string])[] = [
  ['two Host headers', 'GET /things/1 HTTP/1.1\r\nhost: a\r\nHost: b\r\n'],
  ['two equal Host headers', 'GET /things/1 HTTP/1.1\r\nhost: a\r\nhost: a\r\n'],
  ['two Host headers in HTTP/1.0', 'GET /things/1 HTTP/1.0\r\nhost: a\r\nhost: b\r\n'],
  ['a Host that is no host', 'GET /things/1 HTTP/1.1\r\nhost: a/b\r\n'],
  ['a Host with a user name', 'GET /things/1 HTTP/1.1\r\nhost: a@b\r\n'],
  ['HTTP/0.9', 'GET /things/1 HTTP/0.9\r\nhost: a\r\n'],
  ['HTTP/2.0 as text', 'GET /things/1 HTTP/2.0\r\nhost: a\r\n'],
]
for (const [name, head] of ODD_HOSTS)
  test(`400 for ${name}`, async () => {
    const { status, body } = readReply(await sendRaw(server.port, `${head}connection: close\r\n\r\n`))
    assert.deepEqual([status, body['code']], [400, 'malformed_request'])
  })

test('200 for every form of a host', async () => {
  for (const host of ['a.example:8080', '[::1]:80', '127.0.0.1', 'xn--bcher-kva.example', '']) {
    const request = `GET /things/1 HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
    assert.equal(readReply(await sendRaw(server.port, request)).status, 200, host)
  }
})

test('400 for an address with broken percent-encoding or a parameter of absurd length', async () => {
  for (const path of ['/things/%zz', `/things/${'x'.repeat(501)}`]) {
    const { status, body } = await call(server.port, { path })
    assert.equal(status, 400)
    assert.equal(body['code'], 'malformed_request')
  }
})

const ODD_TARGETS = [
  '//',
  '//evil.example/echo',
  '/%00',
  '/..%2f..%2fetc/passwd',
  '/?x=%',
  '*',
  'http://evil.example:9/echo',
  '/nothing#fragment',
  `/${'x'.repeat(4_000)}`,
]
for (const target of ODD_TARGETS)
  test(`404, and nothing in the log, for the address ${target.slice(0, 40)}`, async () => {
    const text = await sendRaw(server.port, `PUT ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
    const { status, body } = readReply(text)
    assert.equal(status, 404)
    assert.equal(body['code'], 'not_found')
    assert.deepEqual(server.log, [])
  })

test('431 for headers beyond the limit', async () => {
  const header = `x-long: ${'x'.repeat(HEADER_BYTES_MAX)}`
  const { status, body } = readReply(
    await sendRaw(server.port, `GET / HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n`),
  )
  assert.equal(status, 431)
  assert.equal(body['code'], 'headers_too_large')
})

test('408 for headers that come too slowly', async () => {
  const socket = connect(impatient.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n')
  const { status, body } = readReply(await readAll(socket))
  assert.equal(status, 408)
  assert.equal(body['code'], 'request_timeout')
})

test('408 for a body that comes too slowly', async () => {
  const socket = connect(impatient.port, '127.0.0.1')
  socket.write(
    'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
  )
  const { status, body } = readReply(await readAll(socket))
  assert.equal(status, 408)
  assert.equal(body['code'], 'request_timeout')
})

test('a caller who hangs up half way leaves no trace', async () => {
  const socket = connect(server.port, '127.0.0.1')
  socket.write(
    'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
  )
  socket.end()
  await readAll(socket)
  assert.equal((await call(server.port, { path: '/echo', body: {} })).status, 200)
  assert.deepEqual(server.log, [])
})

test('two requests on one connection are answered in order, the second after a refusal too', async () => {
  const refused = 'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nhi'
  const fine =
    'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'
  const text = await sendRaw(server.port, refused + fine)
  assert.deepEqual(
    [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['415', '200'],
  )
})

test('a peer that falls silent is let go: before a request, between two, and while it takes no reply', async (context) => {
  const begun = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const endless = async function* (): AsyncGenerator<string> {
    begun.resolve()
    try {
      while (true) yield 'x'.repeat(1_000_000)
    } finally {
      over.resolve()
    }
  }
  const handler = async () => ({ status: 200, body: endless(), headers: { 'content-type': 'text/plain' } })
  const silenced = await startServer({
    routes: [echoRoute({ method: 'GET', path: '/endless', body: 'none', handler }), ...HEALTH_ROUTES],
    options: { silenceTimeoutMs: 100, keepAliveMs: 100, timeoutCheckMs: 20 },
  })
  context.after(silenced.close)
  const asking = (path: string) => {
    const socket = connect(silenced.port, '127.0.0.1')
    if (path !== '') socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
    return socket
  }
  assert.equal(await readAll(asking('')), '')
  // On a slow machine the server may find the peer silent before its request is there, and closes the connection or cuts it.
  let reply = ''
  while (reply === '') reply = await readAll(asking('/healthz')).catch(nothingIfCut)
  assert.match(reply, /^HTTP\/1.1 200 OK/)
  for (let hasBegun = false; !hasBegun; ) {
    const deaf = asking('/endless').resume()
    deaf.on('error', () => undefined)
    const closed = new Promise((resolve) => deaf.once('close', () => resolve(false)))
    hasBegun = (await Promise.race([begun.promise.then(() => true), closed])) === true
    if (!hasBegun) continue
    deaf.pause()
    await over.promise
    deaf.destroy()
  }
})

/** A connection that was cut before its answer is as good as one without an answer. */
function nothingIfCut(cause: unknown): string {
  if (['ECONNRESET', 'EPIPE'].includes(errorCode(cause) ?? '')) return ''
  throw cause
}
