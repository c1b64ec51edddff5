import type { FindTypeLocks, TypeLock, TypeLocks } from '../../domain/events/type-locks.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'

type KnownLocks = { readonly locks: TypeLocks; readonly knownAt: number }

/**
 * The type locks that this process has seen committed, by brand and event. A lock may change, so each is used for a
 * moment only; values that were stored meanwhile are sorted anew (`store/events/retyping.ts`).
 */
export class TypeLockCache {
  readonly #events: BoundedCache<string, KnownLocks>
  readonly #now: () => number

  constructor(locksMax: number, now = () => performance.now()) {
    this.#now = now
    const ttlMs = EVENT_LIMITS.typeLockCacheMs
    this.#events = new BoundedCache({ capacity: locksMax, weightOf: ({ locks }) => locks.size, ttlMs, now })
  }

  of(brandId: number): FindTypeLocks {
    return (eventName) => this.#events.get(keyOf(brandId, eventName))?.locks
  }

  /** The moment from which locks that are read now count as known. */
  now(): number {
    return this.#now()
  }

  /** Only for locks whose transaction has committed. `readAt` is a moment before it began. */
  learn(brandId: number, locks: readonly TypeLock[], readAt: number): void {
    for (const [eventName, some] of Map.groupBy(locks, (lock) => lock.eventName)) {
      const key = keyOf(brandId, eventName)
      const before = this.#events.get(key)
      const learned = some.map((lock) => [lock.attribute, lock] as const)
      const knownAt = Math.min(readAt, before?.knownAt ?? readAt)
      this.#events.set(key, { locks: new Map([...(before?.locks ?? []), ...learned]), knownAt }, knownAt)
    }
  }

  forget(brandId: number, eventName: string): void {
    this.#events.delete(keyOf(brandId, eventName))
  }
}

function keyOf(brandId: number, eventName: string): string {
  return `${brandId} ${eventName}`
}
