import type { Log } from '../log.ts'
import { type Backoff, backoffMs } from './backoff.ts'
import type { Loop, LoopSlot, LoopTime } from './loop.ts'
import type { LoopOutcome } from './meters.ts'

type LoopTaskOptions<Item, Outcome> = {
  readonly loop: Loop<Item, Outcome>
  readonly item: Item
  readonly time: LoopTime
  readonly log: Log
  readonly slot: LoopSlot
}

const SETTLING: Backoff = { minMs: 100, maxMs: 2_000 }
const SETTLE_TRIES_MAX = 8

/** The work on one claimed item and its settling. The table above `Loop` has the states of the item. */
export class LoopTask<Item, Outcome> {
  readonly item: Item
  readonly #options: LoopTaskOptions<Item, Outcome>
  readonly #stop = new AbortController()
  readonly #lost = new AbortController()

  constructor(options: LoopTaskOptions<Item, Outcome>) {
    this.#options = options
    this.item = options.item
  }

  /** Asks the work to end early. */
  stop(): void {
    this.#stop.abort()
  }

  /** The lease is lost, so another process may have the item: nothing about it is written from here on. */
  lose(): void {
    this.#lost.abort()
    this.#stop.abort()
  }

  /** Never throws; `released` asks the caller to release the item. */
  async run(): Promise<LoopOutcome> {
    const { loop, log, slot } = this.#options
    try {
      const outcome = await loop.work(this.item, this.#stop.signal, slot)
      return await this.#settle(outcome)
    } catch (error) {
      if (this.#lost.signal.aborted) return 'lost'
      if (this.#stop.signal.aborted) return 'released'
      const { failed } = loop
      log.error('work failed', { error, ...(failed === undefined ? {} : { item: failed.nameOf(this.item) }) })
      return 'failed'
    }
  }

  async #settle(outcome: Outcome): Promise<LoopOutcome> {
    const { loop, log, time } = this.#options
    for (let attempt = 1; !this.#lost.signal.aborted; attempt += 1) {
      try {
        await loop.settle(this.item, outcome)
        return 'settled'
      } catch (error) {
        log.error('settle failed', { error, attempt })
      }
      if (attempt === SETTLE_TRIES_MAX) return 'failed'
      await time.sleep(backoffMs(SETTLING, attempt, time.random()), this.#lost.signal)
    }
    return 'lost'
  }
}
