/** HTTP/2 frames (RFC 9113 §4, §6): the few numbers of the protocol that a client needs. */
export const FRAME = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export type FrameType = (typeof FRAME)[keyof typeof FRAME]

export const FLAG = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const

export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  streamsMax: 3,
  initialWindow: 4,
  headerListBytes: 6,
} as const

export const CODE = {
  none: 0,
  protocol: 1,
  flowControl: 3,
  frameSize: 6,
  refused: 7,
  cancel: 8,
  compression: 9,
  calm: 11,
} as const

export const FRAME_HEAD_BYTES = 9
/** The largest frame that every peer must accept. We accept no larger one either. */
export const FRAME_BYTES_MAX = 16_384
/** The window of a connection, and of a stream, until the peer changes it. */
export const WINDOW_BYTES = 65_535
export const WINDOW_BYTES_MAX = 0x7fff_ffff
export const STREAM_ID_MAX = 0x7fff_ffff
/** The bytes that a client sends before its first frame. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** The bits of a stream id, and of a window's increment. The topmost bit of both is reserved. */
export const LOW_31_BITS = 0x7fff_ffff

/** Bytes within a buffer. A buffer of their own would cost more than most frames do. */
export type ByteRange = { readonly bytes: Buffer; readonly start: number; readonly end: number }

/** A frame within the bytes that arrived. */
export class Http2Frame implements ByteRange {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  readonly bytes: Buffer
  readonly start: number
  readonly end: number

  /** `at` is where the head of the frame begins. */
  constructor(bytes: Buffer, at: number, end: number) {
    this.type = bytes[at + 3] ?? 0
    this.flags = bytes[at + 4] ?? 0
    this.streamId = bytes.readUInt32BE(at + 5) & LOW_31_BITS
    this.bytes = bytes
    this.start = at + FRAME_HEAD_BYTES
    this.end = end
  }

  get size(): number {
    return this.end - this.start
  }

  get payload(): Buffer {
    return this.bytes.subarray(this.start, this.end)
  }
}

/** The peer broke the protocol: nothing on this connection can be trusted any more. */
export class Http2Violation extends Error {
  override readonly name = 'Http2Violation'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** The content of a frame, without its padding and without the priority that some peers still send. */
export function contentOf(frame: Http2Frame): ByteRange {
  const { type, flags, bytes } = frame
  const isPadded = (flags & FLAG.padded) !== 0
  const extra = (isPadded ? 1 : 0) + (type === FRAME.headers && (flags & FLAG.priority) !== 0 ? 5 : 0)
  if (extra === 0) return frame
  const start = frame.start + extra
  const end = frame.end - (isPadded && frame.size > 0 ? (bytes[frame.start] ?? 0) : 0)
  if (start > end) throw new Http2Violation(CODE.protocol, 'padding longer than the frame')
  return { bytes, start, end }
}
