import { CODE, FRAME_BYTES_MAX, FRAME_HEAD_BYTES, type Http2Frame, Http2Violation } from './frame.ts'

/** Cuts the bytes that arrive into frames, however the network has split them. */
export class FrameReader {
  readonly #onFrame: (frame: Http2Frame) => void
  #rest: Buffer | null = null

  constructor(onFrame: (frame: Http2Frame) => void) {
    this.#onFrame = onFrame
  }

  /** Throws `Http2Violation` for a frame larger than we allowed. */
  take(chunk: Buffer): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = null
    let at = 0
    while (bytes.length - at >= FRAME_HEAD_BYTES) {
      const size = bytes.readUIntBE(at, 3)
      if (size > FRAME_BYTES_MAX) throw new Http2Violation(CODE.frameSize, 'frame too large')
      const start = at + FRAME_HEAD_BYTES
      if (bytes.length - start < size) break
      this.#onFrame({
        type: bytes.readUInt8(at + 3),
        flags: bytes.readUInt8(at + 4),
        streamId: bytes.readUInt32BE(at + 5) & STREAM_ID,
        payload: bytes.subarray(start, start + size),
      })
      at = start + size
    }
    if (at < bytes.length) this.#rest = bytes.subarray(at)
  }
}

/** The topmost bit is reserved. */
const STREAM_ID = 0x7fff_ffff
