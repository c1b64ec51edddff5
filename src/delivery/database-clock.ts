import type { Clock } from '../runtime/clock.ts'
import type { Db } from '../store/db.ts'
import { loadMoment } from '../store/push/planning.ts'

/**
 * The database's clock, continued between two looks by a timer that only goes forward. Expiry, signatures and retries
 * use it, so that a machine with a wrong clock does no harm.
 */
export class DatabaseClock implements Clock {
  readonly #db: Db
  #offsetMs = Date.now() - performance.now()
  #syncedAt = Number.NEGATIVE_INFINITY

  constructor(db: Db) {
    this.#db = db
  }

  readonly now = (): number => performance.now() + this.#offsetMs

  /** Looks at the database's clock if the last look is old. */
  async sync(): Promise<void> {
    const askedAt = performance.now()
    if (askedAt - this.#syncedAt < SYNC_EVERY_MS) return
    this.#syncedAt = askedAt
    // Counted from the question, our time is ahead by the delay of the answer: messages expire early, never late.
    this.#offsetMs = (await loadMoment(this.#db)) - askedAt
  }
}

const SYNC_EVERY_MS = 10_000
