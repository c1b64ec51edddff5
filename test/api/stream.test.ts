import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { CallerGone } from '../../src/http/edge/body.ts'
import { replySuccess } from '../../src/http/reply.ts'
import type { StreamRoute } from '../../src/http/route.ts'
import { type Answer, call, keyHeaders, readAll, startServer } from '../support/processes/server.ts'

const BYTES_MAX = 1_000_000
let lost = Promise.withResolvers<unknown>()

const count: StreamRoute = {
  method: 'POST',
  path: '/import',
  group: 'Test',
  summary: 'Counts bytes',
  scopes: ['profiles'],
  body: 'stream',
  bodyBytesMax: BYTES_MAX,
  handler: async (_, { stream }) => {
    let bytes = 0
    try {
      for await (const chunk of stream) bytes += Buffer.from(chunk).length
    } catch (cause) {
      lost.resolve(cause)
      throw cause
    }
    return replySuccess({ bytes })
  },
}

const impatient: StreamRoute = {
  ...count,
  path: '/impatient',
  handler: async (_, { stream }) => {
    for await (const chunk of stream) return replySuccess({ first: Buffer.from(chunk).length > 0 })
    return replySuccess({})
  },
}

const server = await startServer({ routes: [count, impatient], options: { bodyBytesMax: 10 } })
const brand = await server.brand()
after(server.close)

const post = async (body: string | Uint8Array, headers = {}, path = '/import'): Promise<Answer> =>
  call(server.port, { path, body, headers: { ...keyHeaders(brand), 'content-type': 'text/csv', ...headers } })

test('200 for a body read as it comes, up to the row’s own limit, plain and inflated', async () => {
  const bytes = Buffer.alloc(BYTES_MAX, 'x')
  assert.equal((await post(bytes)).body['bytes'], BYTES_MAX)
  assert.equal((await post(bytes, { 'transfer-encoding': 'chunked' })).body['bytes'], BYTES_MAX)
  assert.equal((await post(gzipSync(bytes), { 'content-encoding': 'gzip' })).body['bytes'], BYTES_MAX)
})

test('413 past the limit, however it is hidden', async () => {
  const bytes = Buffer.alloc(BYTES_MAX + 1, 'x')
  assert.equal((await post(bytes)).status, 413)
  assert.equal((await post(bytes, { 'transfer-encoding': 'chunked' })).status, 413)
  const bomb = gzipSync(Buffer.alloc(50 * BYTES_MAX))
  const { status, body } = await post(bomb, { 'content-encoding': 'gzip' })
  assert.equal(status, 413)
  assert.equal(body['code'], 'body_too_large')
})

test('400 for gzip that breaks half way, 415 for another encoding', async () => {
  const { status, body } = await post(Buffer.from('no gzip'), { 'content-encoding': 'gzip' })
  assert.equal(status, 400)
  assert.equal(body['code'], 'malformed_gzip')
  const half = gzipSync(Buffer.alloc(1_000, 'x')).subarray(0, 15)
  assert.equal((await post(half, { 'content-encoding': 'gzip' })).status, 400)
  assert.equal((await post('x', { 'content-encoding': 'br' })).status, 415)
})

test('200 from a handler that stops reading early', async () => {
  const { status, body } = await post(Buffer.alloc(900_000, 'x'), {}, '/impatient')
  assert.equal(status, 200)
  assert.equal(body['first'], true)
})

test('a handler is told when the caller hangs up, and the log stays quiet', async () => {
  lost = Promise.withResolvers<unknown>()
  const socket = connect(server.port, '127.0.0.1')
  const lines = Object.entries({ host: 'a', 'content-length': '100', ...keyHeaders(brand) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`POST /import HTTP/1.1\r\n${head}\r\nhalf`)
  socket.end()
  await readAll(socket)
  assert.ok((await lost.promise) instanceof CallerGone)
  assert.deepEqual(server.log, [])
})
