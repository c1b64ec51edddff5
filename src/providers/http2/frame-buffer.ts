import type { Writable } from 'node:stream'
import { FRAME_BYTES_MAX, FRAME_HEAD_BYTES, type FrameType } from './frame.ts'

/**
 * Gathers frames and writes them at the end of the event loop's turn, so that a hundred messages cost one TLS record and
 * one system call. These two, not HTTP/2, are the cost of writing each frame by itself.
 */
export class FrameBuffer {
  readonly #socket: Writable
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  /** The bytes before `#start` were given to the socket; the bytes from there to `#end` wait. */
  #start = 0
  #end = 0
  #isScheduled = false

  constructor(socket: Writable) {
    this.#socket = socket
  }

  /** Whether so many bytes wait for the peer to read that no more should be added. */
  get isCongested(): boolean {
    return this.#socket.writableLength > CONGESTED_BYTES
  }

  bytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length)
    this.#buffer.set(bytes, this.#end)
    this.#end += bytes.length
    this.#flushSoon()
  }

  frame(type: FrameType, flags: number, streamId: number, payload: Uint8Array): void {
    this.#makeRoom(FRAME_HEAD_BYTES + payload.length)
    this.#buffer.set(payload, this.#end + FRAME_HEAD_BYTES)
    this.endFrame(type, flags, streamId, this.#end + FRAME_HEAD_BYTES + payload.length)
  }

  /** Begins a frame whose payload, of at most `FRAME_BYTES_MAX`, is written in place. Gives where the payload begins. */
  beginFrame(): { readonly buffer: Buffer; readonly at: number } {
    this.#makeRoom(FRAME_HEAD_BYTES + FRAME_BYTES_MAX)
    return { buffer: this.#buffer, at: this.#end + FRAME_HEAD_BYTES }
  }

  /** Ends the frame whose payload was written up to `end`. */
  endFrame(type: FrameType, flags: number, streamId: number, end: number): void {
    const [buffer, at] = [this.#buffer, this.#end]
    const size = end - at - FRAME_HEAD_BYTES
    buffer[at] = size >>> 16
    buffer[at + 1] = size >>> 8
    buffer[at + 2] = size
    buffer[at + 3] = type
    buffer[at + 4] = flags
    buffer.writeUInt32BE(streamId, at + 5)
    this.#end = end
    this.#flushSoon()
  }

  flush(): void {
    if (this.#start === this.#end) return
    const ready = this.#buffer.subarray(this.#start, this.#end)
    this.#start = this.#end
    this.#socket.write(ready)
  }

  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return
    this.flush()
    this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES)
    this.#start = 0
    this.#end = 0
  }

  #flushSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.flush()
    })
  }
}

/** Room for several of the largest frames; TLS cuts it into records of 16 KiB anyway. */
const BUFFER_BYTES = 128 * 1024
const CONGESTED_BYTES = 1024 * 1024
