import { type Backoff, backoffMs } from './backoff.ts'

/** The failures of one item in a row, and the instant until which it is left alone. */
export type Trouble = { readonly failures: number; readonly waitUntil: number }

export type TroubleState = 'healthy' | 'failing' | 'waiting'

/** The state of an item, for the table above `BackoffList`. */
export function troubleState({ failures, waitUntil }: Trouble, now: number): TroubleState {
  if (waitUntil > now) return 'waiting'
  return failures > 0 ? 'failing' : 'healthy'
}

/** `delayMs` is 0 for a failure that makes nobody wait. A wait is never shortened. */
export function afterFailure(trouble: Trouble, { now, delayMs }: Failure): Trouble {
  return { failures: trouble.failures + 1, waitUntil: Math.max(trouble.waitUntil, now + delayMs) }
}

/** A wait goes on: the work that succeeded may have begun before the failure that caused the wait. */
export function afterSuccess({ waitUntil }: Trouble): Trouble {
  return { failures: 0, waitUntil }
}

export const HEALTHY: Trouble = { failures: 0, waitUntil: Number.NEGATIVE_INFINITY }

type Failure = { readonly now: number; readonly delayMs: number }

export type BackoffListOptions<Item> = {
  /** Tells two items apart, and names an item in the log. */
  readonly nameOf: (item: Item) => string
  /** The wait after so many failures in a row. Without it the wait doubles, from 0.2 seconds to a minute. */
  readonly delayMs?: (failures: number) => number
  /** With more items than this, the one that failed longest ago is forgotten. */
  readonly itemsMax?: number
  readonly time?: BackoffTime
}

/**
 * Remembers which items failed, so that they are left alone for a while. The memory is that of one process: each
 * process finds out for itself.
 *
 * | state   | after a failure                            | after a success              | when the wait is over   |
 * |---------|--------------------------------------------|------------------------------|-------------------------|
 * | healthy | failing; waiting, if there is a delay      | healthy                      | –                       |
 * | failing | failing; waiting, if there is a delay      | healthy                      | –                       |
 * | waiting | waiting, as long as before or longer       | waiting, with no failures    | failing, or healthy with no failures |
 *
 * A success never ends a wait, and a failure never shortens one. A healthy item is forgotten at its next success.
 */
export class BackoffList<Item> {
  readonly #troubles = new Map<string, Trouble & { readonly item: Item }>()
  readonly #nameOf: (item: Item) => string
  readonly #delayMs: (failures: number) => number
  readonly #itemsMax: number
  readonly #time: BackoffTime

  constructor({ nameOf, delayMs, itemsMax = ITEMS_MAX, time = SYSTEM_TIME }: BackoffListOptions<Item>) {
    this.#nameOf = nameOf
    this.#delayMs = delayMs ?? ((failures) => backoffMs(DOUBLING, failures, time.random()))
    this.#itemsMax = itemsMax
    this.#time = time
  }

  /** Whether every item is healthy, so that none need be looked up. */
  get isEmpty(): boolean {
    return this.#troubles.size === 0
  }

  nameOf(item: Item): string {
    return this.#nameOf(item)
  }

  /** `askedMs` is the least wait that somebody asked for. */
  fail(item: Item, askedMs = 0): void {
    const name = this.#nameOf(item)
    const known = this.#troubles.get(name) ?? HEALTHY
    const delayMs = Math.max(askedMs, this.#delayMs(known.failures + 1))
    this.#troubles.delete(name)
    this.#troubles.set(name, { item, ...afterFailure(known, { now: this.#time.elapsed(), delayMs }) })
    const [first] = this.#troubles.keys()
    if (this.#troubles.size > this.#itemsMax && first !== undefined) this.#troubles.delete(first)
  }

  succeed(item: Item): void {
    const name = this.#nameOf(item)
    const known = this.#troubles.get(name)
    if (known === undefined) return
    const trouble = afterSuccess(known)
    if (troubleState(trouble, this.#time.elapsed()) === 'healthy') this.#troubles.delete(name)
    else this.#troubles.set(name, { item, ...trouble })
  }

  /** The failures of an item in a row. */
  failuresOf(item: Item): number {
    return this.#troubles.get(this.#nameOf(item))?.failures ?? 0
  }

  /** How long an item is to be left alone; 0 if it is not waiting. */
  waitMs(item: Item): number {
    const { waitUntil } = this.#troubles.get(this.#nameOf(item)) ?? HEALTHY
    return Math.max(0, waitUntil - this.#time.elapsed())
  }

  /** The items that are to be left alone now. */
  waiting(): readonly Item[] {
    const now = this.#time.elapsed()
    return [...this.#troubles.values()].filter(({ waitUntil }) => waitUntil > now).map(({ item }) => item)
  }
}

/** Tests bring their own. */
export type BackoffTime = { readonly elapsed: () => number; readonly random: () => number }

const SYSTEM_TIME: BackoffTime = { elapsed: () => performance.now(), random: () => Math.random() }
const DOUBLING: Backoff = { minMs: 200, maxMs: 60_000 }
const ITEMS_MAX = 1_000
