/**
 * Limits the messages in flight with one credential to one push host; further ones wait. A full window opens again only
 * when half of its messages are answered: messages that leave together share an encryption batch, a TLS record and a
 * system call, while one message for each answer would share nothing.
 *
 * | state   | messages in flight | moves on                                                  |
 * |---------|--------------------|-----------------------------------------------------------|
 * | probing | `PROBES_MAX`       | an answer comes: proven                                   |
 * | proven  | `max`              | a message stays without an answer: probing                |
 *
 * In both states a full window is stalled while no answer has come for `STALLED_MS`. Nobody waits for a stalled window:
 * its push host accepts requests and does not answer them. A window begins as probing, so that a push host that never
 * answers gets few messages whose outcome nobody knows.
 */
export class SendWindow {
  readonly #max: number
  readonly #elapsed: () => number
  readonly #waiting = new Set<() => void>()
  #inside = 0
  #isFull = false
  #isProven = false
  /** Since when messages are in flight without an answer; null while none is. */
  #quietSince: number | null = null

  constructor(max: number, elapsed: () => number = () => performance.now()) {
    this.#max = max
    this.#elapsed = elapsed
  }

  get inside(): number {
    return this.#inside
  }

  /** Whether the push host has answered since the last message without an answer. */
  get isProven(): boolean {
    return this.#isProven
  }

  /** How long it is worth to stay away from a stalled window: as long as it has been quiet, within bounds. 0 otherwise. */
  get waitMs(): number {
    const quietMs = this.#quietMs
    if (!this.#isFull || quietMs < STALLED_MS) return 0
    return Math.min(Math.max(quietMs, AWAY_MS.min), AWAY_MS.max)
  }

  /** Whether messages are in flight and no answer has come for long. The window need not be full. */
  get isSilent(): boolean {
    return this.#inside > 0 && this.#quietMs >= STALLED_MS
  }

  /** Enters if there is room; `leave` must follow. */
  tryEnter(): boolean {
    if (this.#isFull) return false
    this.#inside += 1
    this.#quietSince ??= this.#elapsed()
    this.#isFull = this.#inside >= this.#limit
    return true
  }

  /** Waits for room. False when the window is stalled: then nothing was entered. */
  async enter(): Promise<boolean> {
    while (!this.tryEnter()) {
      const leftMs = STALLED_MS - this.#quietMs
      if (leftMs <= 0) return false
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      const timer = setTimeout(resolve, leftMs)
      await promise
      clearTimeout(timer)
      this.#waiting.delete(resolve)
    }
    return true
  }

  /** `none`: the message was not sent, or the push host said no more than that it is busy. */
  leave(news: WindowNews): void {
    this.#inside -= 1
    if (news === 'answered') {
      this.#isProven = true
      this.#quietSince = this.#elapsed()
    }
    if (news === 'unanswered') this.#isProven = false
    // A probing window stays quiet until an answer comes, however many of its probes were given up.
    if (this.#inside === 0 && this.#isProven) this.#quietSince = null
    if (!this.#isFull || this.#inside > Math.floor(this.#limit * REOPEN_SHARE)) return
    this.#isFull = false
    for (const goIn of this.#waiting) goIn()
  }

  get #limit(): number {
    return this.#isProven ? this.#max : Math.min(PROBES_MAX, this.#max)
  }

  get #quietMs(): number {
    return this.#quietSince === null ? 0 : this.#elapsed() - this.#quietSince
  }
}

/** The news about the push host with which a message leaves its window. */
export type WindowNews = 'answered' | 'unanswered' | 'none'

const PROBES_MAX = 32
const REOPEN_SHARE = 0.5
/** Longer than a provider needs for a new connection and a slow answer. */
const STALLED_MS = 2_000
const AWAY_MS = { min: 1_000, max: 30_000 } as const
