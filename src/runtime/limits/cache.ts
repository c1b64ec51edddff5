type CacheOptions<Value> = {
  /** The bound of the cache: a number of entries, or a total of the weights that `weightOf` gives. */
  readonly capacity: number
  /** The weight of a value; 1 if absent. */
  readonly weightOf?: (value: Value) => number
  /** How long a value is good; for ever, if absent. */
  readonly ttlMs?: number
  readonly now?: () => number
}

/**
 * A map that never grows beyond its capacity. A full cache drops the entry that was stored first and not read since
 * (second chance): an entry that was read goes to the end of the line once more. A value may be dropped at any time, so
 * every user of a cache can get the value again from somewhere else.
 */
export class BoundedCache<Key, Value> {
  readonly #options: CacheOptions<Value>
  readonly #now: () => number
  /** A map keeps its order, so the first entry is the next to go. */
  readonly #entries = new Map<Key, Entry<Value>>()
  #weight = 0

  constructor(options: CacheOptions<Value>) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (this.#isOld(entry)) {
      this.delete(key)
      return undefined
    }
    entry.isRead = true
    return entry.value
  }

  /** `knownAt` is when the value was true, for a value that took a while to come. */
  set(key: Key, value: Value, knownAt: number = this.#now()): void {
    const { capacity, weightOf } = this.#options
    const weight = weightOf?.(value) ?? 1
    this.delete(key)
    if (weight > capacity) return
    while (this.#weight + weight > capacity) this.#dropOne()
    this.#entries.set(key, { value, weight, knownAt, isRead: false })
    this.#weight += weight
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }

  /** A clock may be set back, so a value from the future is as old as one from the past. */
  #isOld({ knownAt }: Entry<Value>): boolean {
    const { ttlMs } = this.#options
    return ttlMs !== undefined && Math.abs(this.#now() - knownAt) >= ttlMs
  }

  /** Ends, because an entry is passed over once at most: it comes back unread. */
  #dropOne(): void {
    for (const [key, entry] of this.#entries) {
      if (!entry.isRead || this.#isOld(entry)) return this.delete(key)
      entry.isRead = false
      this.#entries.delete(key)
      this.#entries.set(key, entry)
    }
  }
}

type Entry<Value> = {
  readonly value: Value
  readonly weight: number
  readonly knownAt: number
  isRead: boolean
}

type TtlCacheOptions = {
  readonly ttlMs: number
  readonly capacity?: number
  readonly now?: () => number
}

/**
 * Values that are loaded when they are asked for and kept for a while, counted from the question and not from the
 * answer. Callers that ask together share one load. A load that failed is not kept, since the next may succeed.
 */
export class TtlCache<Value> {
  readonly #loads: BoundedCache<string, Promise<Value>>
  readonly #now: () => number

  constructor({ ttlMs, capacity = ENTRIES_MAX, now = () => performance.now() }: TtlCacheOptions) {
    this.#loads = new BoundedCache({ ttlMs, capacity, now })
    this.#now = now
  }

  async get(key: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.#loads.get(key)
    if (known !== undefined) return known
    const askedAt = this.#now()
    const loading = load()
    this.#loads.set(key, loading, askedAt)
    loading.catch(() => this.#forget(key, loading))
    return loading
  }

  /** The next caller loads the value again. A load that is under way answers the callers that wait for it, and is not cached. */
  delete(key: string): void {
    this.#loads.delete(key)
  }

  /** A newer load under the same key stays. */
  #forget(key: string, loading: Promise<Value>): void {
    if (this.#loads.get(key) === loading) this.#loads.delete(key)
  }
}

const ENTRIES_MAX = 10_000
