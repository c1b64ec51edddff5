import { once } from 'node:events'
import { createServer, type TLSSocket } from 'node:tls'
import { FLAG, FRAME, type Http2Frame, PREFACE } from '../../src/providers/http2/frame.ts'
import { FrameReader } from '../../src/providers/http2/frame-reader.ts'
import type { Certificate } from '../../src/sandbox/certificate.ts'

/**
 * A far end for APNs that costs less than a sender: it believes every message, reads no header, and answers 200. The sandbox,
 * which checks like Apple, costs as much as the sender, and would share the cores with it.
 */
export async function startQuickApns(certificate: Certificate, onMessage: () => void): Promise<string> {
  const server = createServer({ ...certificate, ALPNProtocols: ['h2'] }, (socket) => serve(socket, onMessage))
  server.listen({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the far end is not listening')
  return `https://localhost:${address.port}`
}

function serve(socket: TLSSocket, onMessage: () => void): void {
  let answers: Buffer[] = [SETTINGS, WINDOW]
  let received = 0
  const reader = new FrameReader((frame) => {
    received += frame.type === FRAME.data ? frame.payload.length : 0
    if (isEnd(frame)) onMessage()
    answers.push(...answersTo(frame))
  })
  const flush = (): void => {
    if (received >= WINDOW_REFILL) {
      answers.push(windowFrame(received))
      received = 0
    }
    if (answers.length > 0) socket.write(Buffer.concat(answers))
    answers = []
  }
  let left = PREFACE.length
  socket.on('data', (chunk: Buffer) => {
    const begun = Math.min(left, chunk.length)
    left -= begun
    reader.take(chunk.subarray(begun))
    flush()
  })
  // A sender may hang up at any time.
  socket.on('error', () => undefined)
  flush()
}

/** The frames that a frame asks for. */
function answersTo(frame: Http2Frame): readonly Buffer[] {
  const isAck = (frame.flags & FLAG.ack) !== 0
  if (isEnd(frame)) return [frameOf({ ...ACCEPTED, streamId: frame.streamId })]
  if (frame.type === FRAME.settings && !isAck) return [SETTINGS_ACK]
  const { type, streamId, payload } = frame
  if (type === FRAME.ping && !isAck) return [frameOf({ type, flags: FLAG.ack, streamId, payload })]
  return []
}

function isEnd({ type, flags }: Pick<Http2Frame, 'type' | 'flags'>): boolean {
  return (type === FRAME.data || type === FRAME.headers) && (flags & FLAG.endStream) !== 0
}

type SentFrame = Pick<Http2Frame, 'type' | 'flags' | 'streamId' | 'payload'>

function frameOf({ type, flags, streamId, payload }: SentFrame): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(streamId, 5)
  return Buffer.concat([head, payload])
}

function windowFrame(bytes: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(bytes)
  return frameOf({ type: FRAME.windowUpdate, flags: 0, streamId: 0, payload })
}

/** `:status: 200` of the static table, and nothing else. */
const ACCEPTED = {
  type: FRAME.headers,
  flags: FLAG.endStream | FLAG.endHeaders,
  payload: Buffer.from([0x88]),
} as const
/** SETTINGS_MAX_CONCURRENT_STREAMS, as Apple has it. */
const SETTINGS = frameOf({
  type: FRAME.settings,
  flags: 0,
  streamId: 0,
  payload: Buffer.from([0, 3, 0, 0, 0x03, 0xe8]),
})
const SETTINGS_ACK = frameOf({
  type: FRAME.settings,
  flags: FLAG.ack,
  streamId: 0,
  payload: Buffer.alloc(0),
})
/** As large as a connection's window may be, and filled again long before it is used up. */
const WINDOW = windowFrame(0x7fff_ffff - 65_535)
const WINDOW_REFILL = 2 ** 29
