import { CODE, Http2Violation } from './frame.ts'

/**
 * How much a peer may say. Every frame costs us time, and some an answer, so a peer that floods us with pings, settings
 * or empty frames would hold up all the others. Each request earns it a few frames, and each minute brings some more.
 */
export class FrameAllowance {
  #left = FREE_FRAMES
  #since = performance.now()

  /** A request has left, and may be answered. */
  earn(): void {
    this.#left = Math.min(this.#left + FRAMES_PER_REQUEST, FRAMES_MAX)
  }

  /** A frame has come. Throws `Http2Violation` when it is one too many. */
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
/** An answer takes two or three, and windows that open a few more. */
const FRAMES_PER_REQUEST = 64
/** As many streams as we open at once, all answered lavishly. */
const FRAMES_MAX = 100_000
const REFILL_MS = 60_000
