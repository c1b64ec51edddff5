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
 * - `work` does the work of one item. Its signal aborts when the process is asked to stop or the lease is lost.
 *   Work that then throws has its item released; work that returns is settled as usual.
 * - `settle` writes the outcome. It is tried again while the lease stands, because the work is done already.
 *
 * | state of an item | moves to  | when                                                                              |
 * |------------------|-----------|-----------------------------------------------------------------------------------|
 * | claimable        | working   | a loop with a free slot claims it                                                 |
 * | working          | settling  | `work` returns                                                                    |
 * |                  | failed    | `work` throws                                                                     |
 * |                  | released  | `work` throws after the stop, or still runs when `graceMs` is over                |
 * |                  | lost      | the lease was not renewed: another process may have the item                      |
 * | settling         | settled   | `settle` returns                                                                  |
 * |                  | failed    | `settle` threw `SETTLE_TRIES_MAX` times                                           |
 * |                  | released  | it still throws when `graceMs` is over                                            |
 * |                  | lost      | the lease was not renewed                                                         |
 * | released         | claimable | at once                                                                           |
 * | failed, lost     | claimable | the lease runs out. Without a lease: at once, or when `failed` says so            |
 *
 * Never is a lost item settled, and never does a loop claim more than it has slots for. An item that failed comes back
 * later, not at once, so it cannot keep the other items from their turn. The items of a process that dies are `lost`.
 */
export type Loop<Item, Outcome> = {
  readonly name: string
  readonly claim: (count: number) => Promise<readonly Item[]>
  readonly work: (item: Item, signal: AbortSignal, slot: LoopSlot) => Promise<Outcome>
  readonly settle: (item: Item, outcome: Outcome) => Promise<void>
  /** Null for work that may run twice at once, such as a clean-up. */
  readonly lease: Lease<Item> | null
  /**
   * For work without a lease: an item that failed waits here, and `claim` leaves it out. Without this list the whole
   * loop waits after a failure, because the same item would be claimed again at once.
   */
  readonly failed?: BackoffList<Item>
  /** How many items are worked on at the same time. */
  readonly concurrency: number
  /** How many items that have left their slot may be worked on beside the others; none, if absent. */
  readonly awayMax?: number
  /** How long an item was ready before it was claimed, for the metrics; not measured, if absent. */
  readonly waitedMs?: (item: Item) => number
  /** The wait while there is nothing to claim. */
  readonly idle: Backoff
  /** The name of the wake in `LoopContext.wakes` that ends the wait early. */
  readonly wakeOn?: string
}

/** One of the `concurrency` slots of a loop, with an item in it. */
export type LoopSlot = {
  /** For work that mostly waits: the work goes on, and the slot is free for another item. */
  readonly leave: () => void
}

/** How a loop keeps its claim on items while it works on them, and how it gives the claim up. */
export type Lease<Item> = {
  readonly ms: number
  readonly idOf: (item: Item) => LeaseId
  /** Extends the leases to `ms` from now, and returns the ids that this process still has. */
  readonly renew: (items: readonly Item[]) => Promise<readonly LeaseId[]>
  /** Ends the leases of unfinished items, so that another process can claim them now. */
  readonly release: (items: readonly Item[]) => Promise<void>
}

type LeaseId = string | number | bigint

/** The surroundings of a loop. Tests bring their own time and chance. */
export type LoopContext = {
  readonly signal: AbortSignal
  readonly log: Log
  readonly meters: LoopMeters
  /** By the kind of work that they signal: `Loop.wakeOn` names one. */
  readonly wakes?: ReadonlyMap<string, Wake>
  /**
   * The longest idle wait of a loop with a wake, in place of its own. Set it only where something nudges the wakes
   * when work is due (`alarms.ts`).
   */
  readonly wokenIdleMaxMs?: number
  readonly time?: LoopTime
  /** How long work may go on after the abort; then its items are released while it runs. */
  readonly graceMs?: number
}

/** `elapsed` only goes forward, so that a change of the wall clock neither ends nor extends a lease. */
export type LoopTime = {
  readonly sleep: Sleep
  readonly elapsed: () => number
  readonly random: () => number
}
