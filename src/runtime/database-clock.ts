import { type Clock, systemSleep } from './clock.ts'

/**
 * The database's clock, continued between two looks by a timer that only goes forward. Every instant that is stored, or
 * compared with a stored one, comes from it, so that machines whose clocks differ agree on what came first.
 *
 * | state    | moves on                                                                            |
 * |----------|-------------------------------------------------------------------------------------|
 * | agreed   | a look finds the database's clock far ahead: doubting; every other look is adopted  |
 * | doubting | `HOLD_MS` later it still is far ahead: adopted, agreed; it is not any more: agreed  |
 *
 * While a clock that was set forward is doubted, every worker that lives renews its leases by it. A lease that has run
 * out afterwards belongs to a worker that is dead.
 */
export class DatabaseClock implements Clock {
  readonly #load: () => Promise<number>
  readonly #elapsed: () => number
  #offsetMs: number
  #syncedAt = Number.NEGATIVE_INFINITY
  #doubtedAt: number | null = null
  #look: Promise<void> | null = null

  constructor({ load, elapsed = () => performance.now() }: ClockSource) {
    this.#load = load
    this.#elapsed = elapsed
    this.#offsetMs = Date.now() - elapsed()
  }

  readonly now = (): number => Math.floor(this.#elapsed() + this.#offsetMs)

  /** Looks at the database's clock if the last look is old. Callers that ask together share a look. */
  async sync(): Promise<void> {
    if (this.#look === null && this.#elapsed() - this.#syncedAt < SYNC_EVERY_MS) return
    this.#look ??= this.#lookNow().finally(() => {
      this.#look = null
    })
    await this.#look
  }

  /** The first answers of a process are slow, and the clock is ahead by the delay of the fastest: it looks several times. */
  async #lookNow(): Promise<void> {
    const looksMax = this.#syncedAt === Number.NEGATIVE_INFINITY ? FIRST_LOOKS_MAX : 1
    for (let looks = 0; looks < looksMax; looks += 1) if ((await this.#lookOnce()) <= FAST_MS) return
  }

  /** Looks once, and returns the delay of the answer. */
  async #lookOnce(): Promise<number> {
    const askedAt = this.#elapsed()
    // Counted from the question, our time is ahead by the delay of the answer: messages expire early, never late.
    const at = await this.#load()
    const offsetMs = at - askedAt
    const isFirst = this.#syncedAt === Number.NEGATIVE_INFINITY
    // A slow answer says little: an offset that it does not contradict is the better one.
    const isConfirmed = !isFirst && this.#offsetMs <= offsetMs && this.#offsetMs >= at - this.#elapsed()
    const isAhead = !isFirst && offsetMs - this.#offsetMs > AHEAD_MS_MAX
    this.#syncedAt = askedAt
    this.#doubtedAt = isAhead ? (this.#doubtedAt ?? askedAt) : null
    const delayMs = this.#elapsed() - askedAt
    if (this.#doubtedAt !== null && askedAt - this.#doubtedAt < HOLD_MS) return delayMs
    this.#doubtedAt = null
    if (!isConfirmed) this.#offsetMs = offsetMs
    return delayMs
  }

  /** Looks now, and again and again until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Without the database nothing is stored either, and its absence is told elsewhere.
      await this.sync().catch(() => undefined)
      await systemSleep(SYNC_EVERY_MS, signal)
    }
  }
}

/** `load` asks the database for its time. Tests bring their own timer. */
type ClockSource = { readonly load: () => Promise<number>; readonly elapsed?: () => number }

const SYNC_EVERY_MS = 5_000
const FIRST_LOOKS_MAX = 5
const FAST_MS = 1
/** More than the delay of an answer. */
const AHEAD_MS_MAX = 3_000
/** The length of a lease, within which it is renewed several times. */
const HOLD_MS = 15_000
