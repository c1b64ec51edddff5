import { CODE, Http2Violation } from './frame.ts'

/**
 * Limits the frames of a peer. Every frame costs us time, and some cost an answer, so that a peer which floods us with
 * pings, settings or empty frames would slow down all others. Each request and each minute earn the peer some frames.
 */
export class FrameAllowance {
  #left = FREE_FRAMES
  #since = performance.now()

  /** A request has left, and may be answered. */
  earn(): void {
    this.#left = Math.min(this.#left + FRAMES_PER_REQUEST, FRAMES_MAX)
  }

  /** A frame has come. Throws `Http2Violation` if the peer has no frame left. */
  spend(): void {
    this.#left -= 1
    if (this.#left >= 0) return
    const now = performance.now()
    if (now - this.#since < REFILL_MS) throw new Http2Violation(CODE.calm, 'far more frames than answers')
    this.#since = now
    this.#left = FREE_FRAMES
  }
}

const FREE_FRAMES = 10_000
/** An answer takes two or three frames, and window updates take a few more. */
const FRAMES_PER_REQUEST = 64
/** Enough for as many streams as we open at once, each with many frames. */
const FRAMES_MAX = 100_000
const REFILL_MS = 60_000
