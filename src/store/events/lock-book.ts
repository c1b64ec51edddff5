import type { FindLocks, LockWish } from '../../domain/events/fit-attributes.ts'
import type { AttributeType } from '../../rules/attributes.ts'

/**
 * The locks this process has seen committed. A lock never changes, so what stands here stays true; when the book is
 * full it is begun anew, and every lock costs one question again.
 */
export class LockBook {
  readonly #locksMax: number
  readonly #brands = new Map<number, Map<string, Map<string, AttributeType>>>()
  #count = 0

  constructor(locksMax: number) {
    this.#locksMax = locksMax
  }

  of(brandId: number): FindLocks {
    return (eventName) => this.#brands.get(brandId)?.get(eventName)
  }

  /** Only for locks whose transaction has committed. */
  learn(brandId: number, locks: readonly LockWish[]): void {
    if (this.#count + locks.length > this.#locksMax) {
      this.#brands.clear()
      this.#count = 0
    }
    for (const { eventName, attribute, type } of locks) {
      const events = ensure(this.#brands, brandId, newMap<Map<string, AttributeType>>)
      const attributes = ensure(events, eventName, newMap<AttributeType>)
      if (!attributes.has(attribute)) this.#count += 1
      attributes.set(attribute, type)
    }
  }
}

function newMap<Value>(): Map<string, Value> {
  return new Map()
}

function ensure<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
