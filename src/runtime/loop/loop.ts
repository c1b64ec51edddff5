import type { Sleep } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Backoff } from './backoff.ts'
import type { BackoffList } from './backoff-list.ts'
import type { LoopMeters } from './meters.ts'
import type { Wake } from './wake.ts'

/**
 * The one loop that all background work runs in: claim, work, settle.
 *
 * - `claim` leases at most `count` items to this process, in one statement.
 * - `work` does the deed for one item. Its signal aborts when the process is asked to stop or the lease is lost.
 *   Work that then throws has its item given back; work that returns is settled as usual.
 * - `settle` writes what came of it. It is tried again while the lease holds, because the deed is done already.
 *
 * An item whose work throws keeps its lease until that runs out: it comes back later, not at once, and cannot
 * keep the others from their turn. The items of a process that dies come back in the same way.
 */
export type Loop<Item, Outcome> = {
  readonly name: string
  readonly claim: (count: number) => Promise<readonly Item[]>
  readonly work: (item: Item, signal: AbortSignal, place: Place) => Promise<Outcome>
  readonly settle: (item: Item, outcome: Outcome) => Promise<void>
  /** Null for work that may be done twice at once, such as a clean-up. */
  readonly lease: Lease<Item> | null
  /**
   * For work without a lease: an item that failed waits here, and `claim` leaves it out. Without this list the whole
   * loop waits after a failure, because the same item would be claimed again at once.
   */
  readonly failed?: BackoffList<Item>
  /** How many items are worked on at the same time. */
  readonly concurrency: number
  /** How many more may be under way that have left their place; none unless it is said. */
  readonly awayMax?: number
  /** The wait while there is nothing to claim. */
  readonly idle: Backoff
  /** Which of the host's wakes ends that wait early. */
  readonly wakeOn?: string
}

/** Where an item is worked on. */
export type Place = {
  /** For work that will mostly wait: it goes on, and another item may be begun in its place. */
  readonly leave: () => void
}

/** What keeps an item ours while it is worked on, and lets go of it. */
export type Lease<Item> = {
  readonly ms: number
  readonly idOf: (item: Item) => LeaseId
  /** Makes the leases run `ms` from now, and returns the ids that are still ours. */
  readonly renew: (items: readonly Item[]) => Promise<readonly LeaseId[]>
  /** Gives items back unfinished, so that another process can have them now. */
  readonly release: (items: readonly Item[]) => Promise<void>
}

export type LeaseId = string | number | bigint

/** What the loop stands on. Tests bring their own time and chance. */
export type LoopHost = {
  readonly signal: AbortSignal
  readonly log: Log
  readonly meters: LoopMeters
  /** By the kind of work they signal: `wakeOn` of a loop names one. */
  readonly wakes?: ReadonlyMap<string, Wake>
  readonly time?: LoopTime
  /** How long work may go on after the abort, before its items are given back over its head. */
  readonly graceMs?: number
}

/** `elapsed` only goes forward, so that a change of the wall clock neither ends nor stretches a lease. */
export type LoopTime = {
  readonly sleep: Sleep
  readonly elapsed: () => number
  readonly random: () => number
}
