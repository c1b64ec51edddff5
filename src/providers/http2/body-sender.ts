import {
  CODE,
  FLAG,
  FRAME,
  FRAME_BYTES_MAX,
  Http2Violation,
  WINDOW_BYTES,
  WINDOW_BYTES_MAX,
} from './frame.ts'
import type { FrameBuffer } from './frame-buffer.ts'
import type { Stream } from './stream.ts'

/** Sends bodies as far as the peer's windows allow (RFC 9113 §5.2), of the connection and of each stream. */
export class BodySender {
  readonly #outgoing: FrameBuffer
  readonly #waiting = new Set<Stream>()
  #window = WINDOW_BYTES
  #streamWindow = WINDOW_BYTES

  constructor(outgoing: FrameBuffer) {
    this.#outgoing = outgoing
  }

  /** The window that a new stream begins with. */
  get streamWindow(): number {
    return this.#streamWindow
  }

  /** Whether a body waits for the peer to open a window. */
  get isBlocked(): boolean {
    return this.#waiting.size > 0
  }

  send(stream: Stream, body: string | Uint8Array): void {
    if (typeof body === 'string' && this.#sendText(stream, body)) return
    stream.unsent = typeof body === 'string' ? Buffer.from(body) : body
    this.#sendRest(stream)
  }

  /** Writes a short text straight into its frame. False if it might not fit into the frame or a window. */
  #sendText(stream: Stream, text: string): boolean {
    const bytesMax = text.length * CHAR_BYTES_MAX
    if (bytesMax > FRAME_BYTES_MAX || bytesMax > this.#window || bytesMax > stream.window) return false
    const { buffer, at } = this.#outgoing.beginFrame()
    const bytes = buffer.write(text, at, 'utf8')
    this.#outgoing.endFrame(FRAME.data, FLAG.endStream, stream.id, at + bytes)
    stream.window -= bytes
    this.#window -= bytes
    return true
  }

  #sendRest(stream: Stream): void {
    do {
      const size = Math.min(stream.unsent.length, FRAME_BYTES_MAX, this.#window, stream.window)
      if (size <= 0 && stream.unsent.length > 0) {
        this.#waiting.add(stream)
        return
      }
      const isLast = size === stream.unsent.length
      this.#outgoing.frame(
        FRAME.data,
        isLast ? FLAG.endStream : 0,
        stream.id,
        stream.unsent.subarray(0, size),
      )
      stream.unsent = stream.unsent.subarray(size)
      stream.window -= size
      this.#window -= size
    } while (stream.unsent.length > 0)
    this.#waiting.delete(stream)
  }

  /** The stream has ended before its body had left. */
  forget(stream: Stream): void {
    this.#waiting.delete(stream)
  }

  widen(bytes: number): void {
    this.#window = widened(this.#window, bytes)
    this.#sendWaiting()
  }

  widenStream(stream: Stream, bytes: number): void {
    stream.window = widened(stream.window, bytes)
    if (this.#waiting.has(stream)) this.#sendRest(stream)
  }

  /** The peer changed the first window of streams. Streams under way change by as much, even below zero. */
  setStreamWindow(bytes: number, streams: Iterable<Stream>): void {
    const more = bytes - this.#streamWindow
    this.#streamWindow = bytes
    for (const stream of streams) stream.window = widened(stream.window, more)
    this.#sendWaiting()
  }

  #sendWaiting(): void {
    for (const stream of this.#waiting) this.#sendRest(stream)
  }
}

/** The most bytes that UTF-8 has for a character of a JavaScript string. */
const CHAR_BYTES_MAX = 3

function widened(window: number, bytes: number): number {
  const wide = window + bytes
  if (wide > WINDOW_BYTES_MAX) throw new Http2Violation(CODE.flowControl, 'window too large')
  return wide
}
