import { CODE, FRAME_BYTES_MAX, FRAME_HEAD_BYTES, Http2Frame, Http2Violation } from './frame.ts'

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
      const size = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
      if (size > FRAME_BYTES_MAX) throw new Http2Violation(CODE.frameSize, 'frame too large')
      const end = at + FRAME_HEAD_BYTES + size
      if (bytes.length < end) break
      this.#onFrame(new Http2Frame(bytes, at, end))
      at = end
    }
    if (at < bytes.length) this.#rest = bytes.subarray(at)
  }
}
