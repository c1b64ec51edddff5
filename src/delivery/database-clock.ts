import type { Clock } from '../runtime/clock.ts'
import type { Db } from '../store/db.ts'
import { loadMoment } from '../store/push/planning.ts'

/**
 * The database's clock, carried on between two looks by a timer that only goes forward. What expires, is signed or is
 * tried again goes by it, so that a machine whose own clock is wrong does no harm.
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
    // Taken from before the answer came, our time is ahead by the way back: what expires is dropped early, never late.
    this.#offsetMs = (await loadMoment(this.#db)) - askedAt
  }
}

const SYNC_EVERY_MS = 10_000
