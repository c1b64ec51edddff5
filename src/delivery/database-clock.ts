import type { Clock } from '../runtime/clock.ts'
import type { Db } from '../store/db.ts'
import { loadMoment } from '../store/push/planning.ts'

/**
 * The database's clock, continued between two looks by a timer that only goes forward. Expiry, signatures, retries and
 * the end of leases use it, so that a machine with a wrong clock does no harm.
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

  constructor(
    db: Db,
    { load = async () => loadMoment(db), elapsed = () => performance.now() }: ClockSource = {},
  ) {
    this.#load = load
    this.#elapsed = elapsed
    this.#offsetMs = Date.now() - elapsed()
  }

  readonly now = (): number => this.#elapsed() + this.#offsetMs

  /** Looks at the database's clock if the last look is old. Callers that ask together share a look. */
  async sync(): Promise<void> {
    if (this.#look === null && this.#elapsed() - this.#syncedAt < SYNC_EVERY_MS) return
    this.#look ??= this.#lookNow().finally(() => {
      this.#look = null
    })
    await this.#look
  }

  async #lookNow(): Promise<void> {
    const askedAt = this.#elapsed()
    // Counted from the question, our time is ahead by the delay of the answer: messages expire early, never late.
    const offsetMs = (await this.#load()) - askedAt
    const isFirst = this.#syncedAt === Number.NEGATIVE_INFINITY
    const isAhead = !isFirst && offsetMs - this.#offsetMs > AHEAD_MS_MAX
    this.#syncedAt = askedAt
    this.#doubtedAt = isAhead ? (this.#doubtedAt ?? askedAt) : null
    if (this.#doubtedAt !== null && askedAt - this.#doubtedAt < HOLD_MS) return
    this.#doubtedAt = null
    this.#offsetMs = offsetMs
  }
}

/** Tests bring their own. */
type ClockSource = { readonly load?: () => Promise<number>; readonly elapsed?: () => number }

const SYNC_EVERY_MS = 5_000
/** More than the delay of an answer. */
const AHEAD_MS_MAX = 3_000
/** The length of a lease, within which it is renewed several times. */
const HOLD_MS = 15_000
