import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG, FRAME } from '../../src/providers/http2/frame.ts'
import type { FrameBuffer } from '../../src/providers/http2/frame-buffer.ts'
import { openRawPeer } from './raw-peer.ts'

const NO_FLAGS = 0
const ACK = 1
const STATUS_100 = Buffer.from([0x08, 0x03, ...Buffer.from('100')])
const STATUS_200 = Buffer.of(0x88)
const RETRY_AFTER_7 = Buffer.from([0x0f, 53 - 15, 0x01, ...Buffer.from('7')])
const SETTING = { streamsMax: 3, initialWindow: 4 } as const

function settings(wire: FrameBuffer, values: Partial<Record<keyof typeof SETTING, number>> = {}): void {
  const payload = Buffer.concat(
    Object.entries(SETTING).flatMap(([name, id]) => {
      const value = Object(values)[name]
      if (value === undefined) return []
      const setting = Buffer.alloc(6)
      setting.writeUInt16BE(id, 0)
      setting.writeUInt32BE(value, 2)
      return [setting]
    }),
  )
  wire.frame(FRAME.settings, NO_FLAGS, 0, payload)
}

function answer(wire: FrameBuffer, streamId: number): void {
  wire.frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, streamId, STATUS_200)
}

test('an answer is read in its rarest legal form: interim, cut, padded, with a priority, in parts and with trailers', async (t) => {
  const { send } = await openRawPeer(t, {
    onOpen: settings,
    onFrame: ({ type, streamId }, wire) => {
      if (type !== FRAME.headers) return
      // The largest window that there may be.
      wire.frame(FRAME.windowUpdate, NO_FLAGS, 0, Buffer.of(0x7f, 0xff, 0, 0))
      // A frame of an extension, of a type that we do not know.
      wire.bytes(Buffer.of(0, 0, 2, 0xfa, 0xff, 0, 0, 0, streamId, 1, 2))
      wire.frame(FRAME.headers, FLAG.endHeaders, streamId, STATUS_100)
      const priority = [0, 0, 0, 0, 16]
      const cut = Buffer.from([2, ...priority, ...STATUS_200, 0, 0])
      wire.frame(FRAME.headers, FLAG.padded | FLAG.priority, streamId, cut)
      wire.frame(FRAME.continuation, NO_FLAGS, streamId, RETRY_AFTER_7.subarray(0, 2))
      wire.frame(FRAME.continuation, FLAG.endHeaders, streamId, RETRY_AFTER_7.subarray(2))
      wire.frame(FRAME.data, NO_FLAGS, streamId, Buffer.from('some '))
      wire.frame(FRAME.data, FLAG.padded, streamId, Buffer.of(1, 0))
      wire.frame(FRAME.data, FLAG.padded, streamId, Buffer.from('\x03more xyz'))
      // A DATA frame has no priority, whatever its flags say.
      wire.frame(FRAME.data, FLAG.priority, streamId, Buffer.from('words'))
      answer(wire, streamId)
    },
  })
  const whole = { kind: 'answered', status: 200, retryAfter: '7', body: 'some more words' }
  assert.deepEqual(await send(), whole)
})

test('a peer that allows more streams later gets more, and settings about something else change nothing', async (t) => {
  const opened: number[] = []
  const openedAtPong: number[] = []
  const { send } = await openRawPeer(t, {
    limits: { connectionsMax: 1 },
    onOpen: (wire) => settings(wire, { streamsMax: 1 }),
    onFrame: ({ type, flags, streamId }, wire) => {
      if (type === FRAME.headers) {
        opened.push(streamId)
        if (opened.length > 2) return opened.forEach((id) => answer(wire, id))
        if (opened.length === 2) settings(wire, { initialWindow: 1000 })
        wire.frame(FRAME.ping, NO_FLAGS, 0, Buffer.alloc(8))
      }
      if (type === FRAME.ping && flags === ACK) {
        openedAtPong.push(opened.length)
        settings(wire, { streamsMax: opened.length + 1 })
      }
      return undefined
    },
  })
  const answers = await Promise.all(Array.from({ length: 3 }, async () => send()))
  assert.ok(answers.every(({ kind }) => kind === 'answered'))
  assert.deepEqual(openedAtPong, [1, 2])
})

test('while a body waits for its window, the connection takes no other request', async (t) => {
  const opened: number[] = []
  let openedAtPong = 0
  const { send } = await openRawPeer(t, {
    limits: { connectionsMax: 1 },
    onOpen: (wire) => settings(wire, { initialWindow: 0 }),
    onFrame: ({ type, flags, streamId }, wire) => {
      if (type === FRAME.headers) {
        opened.push(streamId)
        if (opened.length === 1) wire.frame(FRAME.ping, NO_FLAGS, 0, Buffer.alloc(8))
        else wire.frame(FRAME.windowUpdate, NO_FLAGS, streamId, Buffer.of(0, 0, 0, 4))
      }
      if (type === FRAME.ping && flags === ACK) {
        openedAtPong = opened.length
        wire.frame(FRAME.windowUpdate, NO_FLAGS, opened[0] ?? 0, Buffer.of(0, 0, 0, 4))
      }
      if (type === FRAME.data && (flags & FLAG.endStream) !== 0) answer(wire, streamId)
    },
  })
  const answers = await Promise.all([send('body'), send('body')])
  assert.ok(answers.every(({ kind }) => kind === 'answered'))
  assert.equal(openedAtPong, 1)
})

test('an unread body that is too large or cut off leaves one acceptance, and its connection goes on', async (t) => {
  const resets: number[] = []
  const { sockets, sendUnread } = await openRawPeer(t, {
    limits: { answerBytesMax: 10, connectionsMax: 1 },
    onOpen: (wire) => settings(wire, { streamsMax: 1 }),
    onFrame: ({ type, streamId }, wire) => {
      if (type === FRAME.reset) resets.push(streamId)
      if (type !== FRAME.headers) return
      wire.frame(FRAME.headers, FLAG.endHeaders, streamId, STATUS_200)
      wire.frame(FRAME.data, NO_FLAGS, streamId, Buffer.from('9 bytes .'))
      if (streamId === 1) wire.frame(FRAME.data, NO_FLAGS, streamId, Buffer.from('.'))
      if (streamId === 3) wire.frame(FRAME.reset, NO_FLAGS, streamId, Buffer.alloc(4))
      if (streamId === 5) wire.frame(FRAME.data, FLAG.endStream, streamId, Buffer.alloc(0))
    },
  })
  const answers = await Promise.all([1, 3, 5].map(sendUnread))
  const accepted = { kind: 'answered', status: 200, retryAfter: null, body: '' }
  assert.deepEqual(answers, [accepted, accepted, accepted])
  assert.equal(sockets.length, 1)
  assert.deepEqual(resets, [1])
})

test('the handshake names the host, and never an address (RFC 6066 §3)', async (t) => {
  const { sockets, send } = await openRawPeer(t, {
    onOpen: settings,
    onFrame: ({ type, streamId }, wire) => type === FRAME.headers && answer(wire, streamId),
  })
  for (const host of ['localhost', '127.0.0.1']) assert.equal((await send('', host)).kind, 'answered')
  assert.deepEqual(
    sockets.map(({ servername }) => servername),
    ['localhost', false],
  )
})
