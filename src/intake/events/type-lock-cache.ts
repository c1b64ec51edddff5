import type { FindTypeLocks, TypeLock, TypeLocks } from '../../domain/events/type-locks.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'

/** The type locks that this process has seen committed, by brand and event. A lock never changes, so it stays true. */
export class TypeLockCache {
  readonly #events: BoundedCache<string, TypeLocks>

  constructor(locksMax: number) {
    this.#events = new BoundedCache({ capacity: locksMax, weightOf: ({ size }) => size })
  }

  of(brandId: number): FindTypeLocks {
    return (eventName) => this.#events.get(keyOf(brandId, eventName))
  }

  /** Only for locks whose transaction has committed. */
  learn(brandId: number, locks: readonly TypeLock[]): void {
    for (const [eventName, some] of Map.groupBy(locks, (lock) => lock.eventName)) {
      const key = keyOf(brandId, eventName)
      const learned = some.map(({ attribute, type }) => [attribute, type] as const)
      this.#events.set(key, new Map([...(this.#events.get(key) ?? []), ...learned]))
    }
  }
}

function keyOf(brandId: number, eventName: string): string {
  return `${brandId} ${eventName}`
}
