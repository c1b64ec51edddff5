import type { Log } from '../../runtime/log.ts'
import { isStoreAway, ObjectStoreError } from '../../runtime/object-store/object-store-error.ts'

/**
 * Says once that the object store is away, and once that it is back, however often it is asked in between. While it is away it is asked now
 * and then only, so that not every question waits for a store that does not answer.
 *
 * States: calm → away, with a failure; away → calm, with an answer.
 */
export class StoreOutage {
  readonly #log: Log
  #away: { readonly since: number; readonly lastAt: number } | null = null

  constructor(log: Log) {
    this.#log = log
  }

  /** Throws if the store was away a moment ago. */
  check(): void {
    if (this.#away !== null && Date.now() - this.#away.lastAt < PAUSE_MS) throw new StoreSkipped()
  }

  /** Whether the failure is that the store is away. */
  takes(error: unknown): boolean {
    if (!isStoreAway(error)) return false
    if (error instanceof StoreSkipped) return true
    const now = Date.now()
    if (this.#away === null) {
      this.#log.warn('the object store of event files is away; rows answer, and nothing is frozen', { error })
    }
    this.#away = { since: this.#away?.since ?? now, lastAt: now }
    return true
  }

  /** The store answered. */
  answered(): void {
    if (this.#away === null) return
    this.#log.warn('the object store of event files is back', { away_ms: Date.now() - this.#away.since })
    this.#away = null
  }
}

const PAUSE_MS = 30_000

class StoreSkipped extends ObjectStoreError {
  constructor() {
    super('away', 'the object store was away a moment ago')
  }
}
