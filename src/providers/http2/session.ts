import type { TLSSocket } from 'node:tls'
import { type AnswerHead, readAnswerHead } from './answer-head.ts'
import {
  type ByteRange,
  CODE,
  contentOf,
  FLAG,
  FRAME,
  type Http2Frame,
  Http2Violation,
  LOW_31_BITS,
  PREFACE,
  SETTING,
  WINDOW_BYTES,
} from './frame.ts'
import { FrameAllowance } from './frame-allowance.ts'
import { FrameBuffer } from './frame-buffer.ts'
import { FrameReader } from './frame-reader.ts'
import { HeaderEncoder, type RequestHead } from './header-encoder.ts'

/** The frames of the peer, as events. */
type SessionEvents = {
  readonly onSettings: (settings: PeerSettings) => void
  readonly onHead: (streamId: number, head: AnswerHead) => void
  readonly onData: (streamId: number, chunk: ByteRange) => void
  /** The peer has ended the stream. */
  readonly onEnd: (streamId: number) => void
  readonly onReset: (streamId: number, code: number) => void
  readonly onGoaway: (lastStreamId: number) => void
  readonly onWindow: (streamId: number, bytes: number) => void
  readonly onPong: () => void
}

/** The limits of the peer; undefined where its SETTINGS name none. */
export type PeerSettings = {
  readonly streamsMax: number | undefined
  readonly initialWindow: number | undefined
}

/**
 * HTTP/2 as a client speaks it (RFC 9113), in frames of our own on a TLS socket. node:http2 makes a stream object with
 * events and buffers for every message, which costs many times more than the message.
 *
 * | state          | moves on                                                                                |
 * |----------------|-----------------------------------------------------------------------------------------|
 * | between blocks | HEADERS without END_HEADERS: in a block; a violation, or a half-close of the peer: ended |
 * | in a block     | CONTINUATION with END_HEADERS: between blocks; another frame, or too many bytes: ended  |
 * | ended          | the socket is destroyed, after a GOAWAY if the peer broke the protocol                  |
 *
 * The preface and SETTINGS leave before any other frame. Nothing is kept between two header blocks of the peer.
 */
export class Http2Session {
  readonly outgoing: FrameBuffer
  readonly #socket: TLSSocket
  readonly #events: SessionEvents
  readonly #encoder: HeaderEncoder
  readonly #allowance = new FrameAllowance()
  readonly #reader = new FrameReader((frame) => this.#take(frame))
  /** A header block that goes on in the next frame; nothing else may come before its end. */
  #unfinished: { readonly frame: Http2Frame; readonly parts: Buffer[]; bytes: number } | null = null
  #received = 0

  constructor(
    socket: TLSSocket,
    events: SessionEvents,
    { authority, answerBytesMax }: { readonly authority: string; readonly answerBytesMax: number },
  ) {
    this.#socket = socket
    this.#events = events
    this.#encoder = new HeaderEncoder(authority)
    this.outgoing = new FrameBuffer(socket)
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    // A peer that half-closes does not answer any more.
    socket.on('end', () => socket.destroy())
    this.outgoing.bytes(PREFACE)
    this.outgoing.frame(FRAME.settings, 0, 0, settingsOf(answerBytesMax))
    this.#allow(CONNECTION_WINDOW_BYTES - WINDOW_BYTES)
  }

  /** Throws, before anything is written, for headers that cannot be sent. */
  open(streamId: number, head: RequestHead): void {
    this.#encoder.check(head)
    const { buffer, at } = this.outgoing.beginFrame()
    this.outgoing.endFrame(FRAME.headers, FLAG.endHeaders, streamId, this.#encoder.write(buffer, at, head))
    this.#allowance.earn()
  }

  reset(streamId: number): void {
    this.outgoing.frame(FRAME.reset, 0, streamId, uint32(CODE.cancel))
  }

  ping(): void {
    this.outgoing.frame(FRAME.ping, 0, 0, PING)
  }

  #read(chunk: Buffer): void {
    try {
      this.#reader.take(chunk)
    } catch (cause) {
      const code = cause instanceof Http2Violation ? cause.code : CODE.protocol
      this.outgoing.frame(FRAME.goaway, 0, 0, Buffer.concat([uint32(0), uint32(code)]))
      this.outgoing.flush()
      this.#socket.destroy()
    }
  }

  #take(frame: Http2Frame): void {
    this.#allowance.spend()
    if (this.#unfinished !== null && frame.type !== FRAME.continuation) {
      throw new Http2Violation(CODE.protocol, 'a header block was interrupted')
    }
    switch (frame.type) {
      case FRAME.data:
        return this.#takeData(frame)
      case FRAME.headers:
        return this.#takeHeaders(frame)
      case FRAME.continuation:
        return this.#takeContinuation(frame)
      case FRAME.reset:
        return this.#events.onReset(frame.streamId, numberIn(frame))
      case FRAME.settings:
        return this.#takeSettings(frame)
      case FRAME.ping:
        return this.#takePing(frame)
      case FRAME.goaway:
        return this.#events.onGoaway(numberIn(frame) & LOW_31_BITS)
      case FRAME.windowUpdate:
        return this.#events.onWindow(frame.streamId, numberIn(frame) & LOW_31_BITS)
      case FRAME.pushPromise:
        throw new Http2Violation(CODE.protocol, 'a push that we have forbidden')
      default:
        // RFC 9113 §5.5: unknown frames are ignored.
        return undefined
    }
  }

  #takeData(frame: Http2Frame): void {
    this.#received += frame.size
    if (this.#received >= CONNECTION_WINDOW_BYTES / 2) {
      this.#allow(this.#received)
      this.#received = 0
    }
    this.#events.onData(frame.streamId, contentOf(frame))
    this.#endIfLast(frame)
  }

  #takeHeaders(frame: Http2Frame): void {
    const content = contentOf(frame)
    if ((frame.flags & FLAG.endHeaders) !== 0) return this.#takeBlock(frame, content)
    const { bytes, start, end } = content
    this.#unfinished = { frame, parts: [bytes.subarray(start, end)], bytes: end - start }
  }

  #takeContinuation({ streamId, flags, payload }: Http2Frame): void {
    const unfinished = this.#unfinished
    if (unfinished === null || unfinished.frame.streamId !== streamId) {
      throw new Http2Violation(CODE.protocol, 'a continuation of nothing')
    }
    unfinished.parts.push(payload)
    unfinished.bytes += payload.length
    // The parts count too, so that empty frames also reach the limit.
    if (unfinished.bytes + unfinished.parts.length > HEADER_BYTES_MAX) {
      throw new Http2Violation(CODE.protocol, 'headers too large')
    }
    if ((flags & FLAG.endHeaders) === 0) return
    this.#unfinished = null
    const bytes = Buffer.concat(unfinished.parts)
    this.#takeBlock(unfinished.frame, { bytes, start: 0, end: bytes.length })
  }

  #takeBlock(frame: Http2Frame, block: ByteRange): void {
    this.#events.onHead(frame.streamId, readAnswerHead(block))
    this.#endIfLast(frame)
  }

  #endIfLast({ streamId, flags }: Http2Frame): void {
    if ((flags & FLAG.endStream) !== 0) this.#events.onEnd(streamId)
  }

  #takeSettings({ flags, payload }: Http2Frame): void {
    if ((flags & FLAG.ack) !== 0) return
    const settings = new Map<number, number>()
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      settings.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2))
    }
    const tableBytes = settings.get(SETTING.headerTableSize)
    if (tableBytes !== undefined) this.#encoder.shrink(tableBytes)
    this.outgoing.frame(FRAME.settings, FLAG.ack, 0, NOTHING)
    this.#events.onSettings({
      streamsMax: settings.get(SETTING.streamsMax),
      initialWindow: settings.get(SETTING.initialWindow),
    })
  }

  #takePing({ flags, payload }: Http2Frame): void {
    if ((flags & FLAG.ack) !== 0) return this.#events.onPong()
    this.outgoing.frame(FRAME.ping, FLAG.ack, 0, payload)
  }

  #allow(bytes: number): void {
    this.outgoing.frame(FRAME.windowUpdate, 0, 0, uint32(bytes))
  }
}

/** Far more than all answers under way: only the window of a stream should slow a peer down. */
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024
const HEADER_BYTES_MAX = 64 * 1024
const NOTHING = Buffer.alloc(0)
const PING = Buffer.from('beckon!?')

/** A stream's window is as large as the largest answer we read, so that a peer cannot even send more. */
function settingsOf(answerBytesMax: number): Buffer {
  const settings = [
    [SETTING.headerTableSize, 0],
    [SETTING.enablePush, 0],
    [SETTING.initialWindow, answerBytesMax],
    [SETTING.headerListBytes, HEADER_BYTES_MAX],
  ] as const
  const payload = Buffer.alloc(settings.length * 6)
  for (const [index, [name, value]] of settings.entries()) {
    payload.writeUInt16BE(name, index * 6)
    payload.writeUInt32BE(value, index * 6 + 2)
  }
  return payload
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** The number that the frame begins with. */
function numberIn({ bytes, start, size }: Http2Frame): number {
  if (size < 4) throw new Http2Violation(CODE.frameSize, 'frame too short')
  return bytes.readUInt32BE(start)
}
