import { type Backoff, backoffMs } from './backoff.ts'

const AWAY: Backoff = { minMs: 200, maxMs: 60_000 }
const ITEMS_MAX = 1_000

/** Tests bring their own. */
type AsideTime = { readonly elapsed: () => number; readonly random: () => number }
const SYSTEM_TIME: AsideTime = { elapsed: () => performance.now(), random: () => Math.random() }

type Put<Item> = { readonly item: Item; readonly failures: number; readonly until: number }

/**
 * What failed lately and is left alone for a while, each time longer. It is for work without a lease: there what failed
 * is there to be claimed again at once, and would keep the rest from its turn. Each process finds out for itself.
 */
export class Aside<Item> {
  readonly #put = new Map<string, Put<Item>>()
  readonly #nameOf: (item: Item) => string
  readonly #time: AsideTime

  constructor(nameOf: (item: Item) => string, time: AsideTime = SYSTEM_TIME) {
    this.#nameOf = nameOf
    this.#time = time
  }

  /** What the log calls an item. */
  nameOf(item: Item): string {
    return this.#nameOf(item)
  }

  /** Leaves it alone for a while. With too many at once the first is let back early. */
  put(item: Item): void {
    const name = this.#nameOf(item)
    const failures = (this.#put.get(name)?.failures ?? 0) + 1
    const until = this.#time.elapsed() + backoffMs(AWAY, failures, this.#time.random())
    this.#put.delete(name)
    this.#put.set(name, { item, failures, until })
    const [first] = this.#put.keys()
    if (this.#put.size > ITEMS_MAX && first !== undefined) this.#put.delete(first)
  }

  /** It went well, so what was before is forgotten. */
  clear(item: Item): void {
    this.#put.delete(this.#nameOf(item))
  }

  /** Those that are not to be claimed now. */
  items(): readonly Item[] {
    const now = this.#time.elapsed()
    return [...this.#put.values()].filter(({ until }) => until > now).map(({ item }) => item)
  }
}
