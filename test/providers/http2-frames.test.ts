import assert from 'node:assert/strict'
import { createSecureServer, type IncomingHttpHeaders, type Settings } from 'node:http2'
import { type TestContext, test } from 'node:test'
import {
  array,
  asyncProperty,
  assert as check,
  constantFrom,
  option,
  property,
  record,
  stringMatching,
  uint8Array,
} from 'fast-check'
import { readAnswerHead } from '../../src/providers/http2/answer-head.ts'
import { FLAG, FRAME, type Http2Frame, Http2Violation } from '../../src/providers/http2/frame.ts'
import type { FrameBuffer } from '../../src/providers/http2/frame-buffer.ts'
import { FrameReader } from '../../src/providers/http2/frame-reader.ts'
import type { ProviderAnswer, ProviderRequest } from '../../src/providers/transport.ts'
import { openPool, openRawPeer, TLS } from './raw-peer.ts'

type Heard = { readonly headers: IncomingHttpHeaders; readonly body: Buffer }

/** Somebody else's HTTP/2, whose reading of our frames and headers is the measure. It answers with what it is told. */
async function openPeer(t: TestContext, settings: Settings = {}) {
  const heard: Heard[] = []
  const answer: Record<string, string> = {}
  const server = createSecureServer({ ...TLS, settings }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      heard.push({ headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(request.url === '/refused' ? 404 : 200, answer).end('ok')
    })
  })
  const { pool, origin } = await openPool(t, server, { connectMs: 2_000 })
  const send = async (
    headers: Record<string, string>,
    body: string | Uint8Array = 'body',
  ): Promise<ProviderAnswer> =>
    pool.send({ route: { origin, partition: '' }, path: '/3/device/abc', headers, body })
  const request = async (head: Omit<ProviderRequest, 'route' | 'body'>) =>
    pool.send({ ...head, route: { origin, partition: '' }, body: 'body' })
  return { heard, answer, send, request }
}

/** Small, large, few and many, so that entries are found again, pushed out, and too large to be kept. */
const VALUE = stringMatching(/^[!-~]{1,40}$|^[a-z]{200,900}$|^x{4100}$/)
const NAME = constantFrom('authorization', 'apns-topic', 'apns-id', 'topic', 'ttl', 'x-long-name-of-a-header')

for (const headerTableSize of [4096, 200, 0]) {
  test(`a peer with a table of ${headerTableSize} bytes reads the headers that were sent, request after request`, async (t) => {
    const { heard, send } = await openPeer(t, { headerTableSize })
    await check(
      asyncProperty(
        array(record({ name: NAME, value: VALUE }), { minLength: 1, maxLength: 12 }),
        async (fields) => {
          heard.length = 0
          for (const { name, value } of fields) {
            const answer = await send({ [name]: value, 'x-same': 'always' })
            assert.equal(answer.kind, 'answered')
          }
          assert.deepEqual(
            heard.map(({ headers }, index) => headers[fields[index]?.name ?? '']),
            fields.map(({ value }) => value),
          )
          for (const { headers } of heard) assert.equal(headers['x-same'], 'always')
        },
      ),
      { numRuns: 25 },
    )
  })
}

/** Broadcasts that share a connection: each has its own headers for all its messages. */
const SHARED = [
  { authorization: 'bearer one', 'apns-topic': 'app' },
  { authorization: 'bearer two', 'apns-topic': 'app', 'apns-expiration': '0' },
  { authorization: `bearer ${'long'.repeat(600)}`, 'apns-topic': 'another.app' },
  {},
] as const

for (const headerTableSize of [4096, 300, 0]) {
  test(`shared headers are read as they were sent by a peer with a table of ${headerTableSize} bytes`, async (t) => {
    const { heard, request } = await openPeer(t, { headerTableSize })
    const messages = array(
      record({ shared: constantFrom(...SHARED), id: stringMatching(/^[0-9a-f]{8}$/), kept: option(VALUE) }),
      { minLength: 1, maxLength: 20 },
    )
    await check(
      asyncProperty(messages, async (sent) => {
        heard.length = 0
        for (const { shared, id, kept } of sent) {
          // A header that the table keeps moves all entries before it.
          const added = kept === null ? [] : [['x-kept', kept] as const]
          const ownHeaders = [['apns-id', id] as const, ...added]
          const answer = await request({ path: `/3/device/${id}`, headers: shared, ownHeaders })
          assert.equal(answer.kind, 'answered')
        }
        assert.deepEqual(
          heard.map(({ headers }) => Object.fromEntries(Object.entries(headers))),
          sent.map(({ shared, id, kept }) => ({
            ':method': 'POST',
            ':scheme': 'https',
            ':authority': heard[0]?.headers[':authority'],
            ':path': `/3/device/${id}`,
            ...shared,
            'apns-id': id,
            ...(kept === null ? {} : { 'x-kept': kept }),
          })),
        )
      }),
      { numRuns: 25 },
    )
  })
}

test('one path after another is read as it was sent, repeated or not', async (t) => {
  const { heard, request } = await openPeer(t)
  const paths = ['/one', '/one', '/one', '/other', '/one', '/other', '/other', '/other', '/one']
  for (const path of paths) await request({ path, headers: {} })
  assert.deepEqual(
    heard.map(({ headers }) => headers[':path']),
    paths,
  )
})

test('the body of an acceptance that nobody reads is dropped, and that of a refusal is kept', async (t) => {
  const { request } = await openPeer(t)
  const unread = { headers: {}, isAcceptedBodyRead: false } as const
  const head = { kind: 'answered', retryAfter: null } as const
  assert.deepEqual(await request({ path: '/', ...unread }), { ...head, status: 200, body: '' })
  assert.deepEqual(await request({ path: '/refused', ...unread }), { ...head, status: 404, body: 'ok' })
  assert.deepEqual(await request({ path: '/', headers: {} }), { ...head, status: 200, body: 'ok' })
})

test('shared headers that cannot be written harm no other message, before and after', async (t) => {
  const { heard, request } = await openPeer(t)
  const [good, bad] = [{ authorization: 'kept' }, { authorization: 'kept', topic: 'line\nbreak' }]
  for (let round = 0; round < 3; round += 1) {
    assert.equal((await request({ path: '/bad', headers: bad })).kind, 'unsent')
    assert.equal((await request({ path: '/good', headers: good })).kind, 'answered')
  }
  assert.deepEqual(
    heard.map(({ headers }) => headers[':path']),
    ['/good', '/good', '/good'],
  )
})

test('a header of every length at which its number takes another byte is read as it was sent', async (t) => {
  const { heard, send } = await openPeer(t)
  const values = [126, 127, 128, 254, 255, 256, 383, 384].map((length) => '~'.repeat(length))
  for (const value of values) await send({ topic: value })
  assert.deepEqual(
    heard.map(({ headers }) => headers['topic']),
    values,
  )
})

test('every printable character of an answer is read, squeezed or not', async (t) => {
  const { answer, send } = await openPeer(t)
  await check(
    asyncProperty(stringMatching(/^[!-[\]-~]([ -[\]-~]{0,60}[!-[\]-~])?$/), async (text) => {
      answer['retry-after'] = text
      assert.deepEqual(await send({}), { kind: 'answered', status: 200, retryAfter: text, body: 'ok' })
    }),
    { numRuns: 200 },
  )
})

test('a peer that takes a body in small sips gets the whole of it', async (t) => {
  const { heard, send } = await openPeer(t, { initialWindowSize: 7 })
  const bodies = [0, 1, 6, 7, 8, 4096, 40_000].map((size) => Buffer.alloc(size, 'abc'))
  const answers = await Promise.all(bodies.map(async (body) => send({}, body)))
  assert.ok(answers.every(({ kind }) => kind === 'answered'))
  assert.deepEqual(
    heard.map(({ body }) => body.length).toSorted((one, other) => one - other),
    [0, 1, 6, 7, 8, 4096, 40_000],
  )
  for (const { body } of heard) assert.ok(body.equals(Buffer.alloc(body.length, 'abc')))
})

test('a header that cannot be written gives its message back, and the next one is not harmed', async (t) => {
  const { heard, send } = await openPeer(t)
  for (const value of ['line\nbreak', 'snow\u2603man', '\0', 'x'.repeat(17_000)]) {
    assert.equal((await send({ topic: value, authorization: 'kept' })).kind, 'unsent')
    assert.equal((await send({ authorization: 'kept' })).kind, 'answered')
  }
  assert.ok(heard.every(({ headers }) => headers.authorization === 'kept'))
})

function dataFrame(payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(0, 0, payload.length, 0, 1, 0, 0, 0, 5), payload])
}

test('frames are read the same wherever the network cuts them', () => {
  check(
    property(
      array(uint8Array({ maxLength: 200 })),
      array(uint8Array({ minLength: 1, maxLength: 1 })),
      (payloads, cuts) => {
        const bytes = Buffer.concat(payloads.map(dataFrame))
        const seen: Http2Frame[] = []
        const reader = new FrameReader((one) => seen.push(one))
        let at = 0
        for (const [cut = 1] of cuts) {
          reader.take(bytes.subarray(at, at + cut))
          at = Math.min(bytes.length, at + cut)
        }
        reader.take(bytes.subarray(at))
        assert.deepEqual(
          seen.map(({ type, flags, streamId, payload }) => ({
            type,
            flags,
            streamId,
            payload: [...payload],
          })),
          payloads.map((payload) => ({ type: 0, flags: 1, streamId: 5, payload: [...payload] })),
        )
      },
    ),
  )
})

test('a header block of anything is read or refused, and never more', () => {
  check(
    property(uint8Array({ maxLength: 100 }), (block) => {
      try {
        readAnswerHead({ bytes: Buffer.from(block), start: 0, end: block.length })
      } catch (error) {
        assert.ok(error instanceof Http2Violation)
      }
    }),
    { numRuns: 5_000 },
  )
})

/** What no peer may send, after a request has reached it. */
const VIOLATIONS: Readonly<Record<string, (wire: FrameBuffer) => void>> = {
  'a frame larger than we allowed': (wire) => wire.bytes(Buffer.of(1, 0, 0, 0, 0, 0, 0, 0, 1)),
  'a push': (wire) => wire.frame(FRAME.pushPromise, FLAG.endHeaders, 1, Buffer.of(0, 0, 0, 2, 0x88)),
  'a continuation of nothing': (wire) => wire.frame(FRAME.continuation, FLAG.endHeaders, 1, Buffer.of(0x88)),
  'a continuation of another header block': (wire) => {
    wire.frame(FRAME.headers, 0, 1, Buffer.of(0x88))
    wire.frame(FRAME.continuation, FLAG.endHeaders, 3, Buffer.alloc(0))
  },
  'headers that never end': (wire) => {
    wire.frame(FRAME.headers, 0, 1, Buffer.of(0x88))
    for (let index = 0; index < 70_000; index += 1) wire.frame(FRAME.continuation, 0, 1, Buffer.alloc(0))
  },
  'an interrupted header block': (wire) => {
    wire.frame(FRAME.headers, 0, 1, Buffer.of(0x88))
    wire.frame(FRAME.ping, 0, 0, Buffer.alloc(8))
  },
  'a header block that breaks off': (wire) =>
    wire.frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.of(0x08, 0x05, 0x32)),
  'an entry of a table that is empty': (wire) =>
    wire.frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.of(0xbe)),
  'padding longer than its frame': (wire) => wire.frame(FRAME.data, FLAG.padded, 1, Buffer.of(9, 1)),
  'a window update of no size': (wire) => wire.frame(FRAME.windowUpdate, 0, 0, Buffer.of(1)),
  'a window larger than there is': (wire) => {
    wire.frame(FRAME.windowUpdate, 0, 0, Buffer.of(0x7f, 0xff, 0xff, 0xff))
  },
  'a flood of pings': (wire) => flood(() => wire.frame(FRAME.ping, 0, 0, Buffer.alloc(8))),
  'a flood of settings': (wire) => flood(() => wire.frame(FRAME.settings, 0, 0, Buffer.alloc(0))),
  'a flood of empty data': (wire) => flood(() => wire.frame(FRAME.data, 0, 1, Buffer.alloc(0))),
  'a flood of endings of what never was': (wire) =>
    flood(() => wire.frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 99, Buffer.of(0x88))),
}

function flood(send: () => void): void {
  for (let index = 0; index < 12_000; index += 1) send()
}

for (const [name, violate] of Object.entries(VIOLATIONS)) {
  test(`${name} ends the connection, and only that`, async (t) => {
    const { sockets, send } = await openRawPeer(t, {
      limits: { connectMs: 2_000 },
      onOpen: (wire) => wire.frame(FRAME.settings, 0, 0, Buffer.alloc(0)),
      onFrame: ({ type }, wire) => type === FRAME.headers && violate(wire),
    })
    assert.deepEqual(await send('body'), { kind: 'lost', reason: 'connection lost' })
    assert.deepEqual(await send('body'), { kind: 'lost', reason: 'connection lost' })
    assert.equal(sockets.length, 2)
  })
}
