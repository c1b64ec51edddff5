import { QueueFull } from './limiter.ts'

type GroupCommitOptions<Key, Item, Outcome> = {
  /** Does the work of several items at once and gives an outcome for each, in their order. */
  readonly commit: (key: Key, items: readonly Item[]) => Promise<readonly Outcome[]>
  /** Whether a failure certainly left nothing behind, so that the same items may be committed one by one. */
  readonly isUndone: (cause: unknown) => boolean
  /** The weight of an item; 1 if absent. */
  readonly weightOf?: (item: Item) => number
  /** The most that one batch takes; a single item may be heavier and then goes alone. */
  readonly batchWeightMax: number
  /** How many batches run at the same time, and of one key beside each other only under `besideWeightsMin`. */
  readonly batchesMax: number
  /** How many of them may be of one key; all of them, if absent. A busy key then always leaves room for another. */
  readonly keyBatchesMax?: number
  /**
   * The weight that must wait for a key before its second, third … batch runs beside the ones that run already; the last
   * number counts for all further batches. With less, a key waits for a batch to end: sharing is worth more than haste.
   */
  readonly besideWeightsMin: readonly [number, ...number[]]
  readonly waitingWeightMax: number
}

/**
 * Commits items that arrive together in one go. While a batch of a key runs, items of the same key wait and share the
 * next batch. Nothing waits when there is nothing to wait for, so a lone item is as fast as it can be, and a crowd costs
 * little more than one. Keys take turns, so that a busy key does not hold up the others.
 *
 * | state of an item | moves to  | when                                                                          |
 * |------------------|-----------|-------------------------------------------------------------------------------|
 * | submitted        | waiting   | at once                                                                       |
 * |                  | failed    | more than `waitingWeightMax` would wait (`QueueFull`)                         |
 * | waiting          | in batch  | its key is at turn, and a batch may start (`batchesMax`, `besideWeightsMin`)  |
 * | in batch         | done      | the commit succeeded                                                          |
 * |                  | alone     | the commit failed, `isUndone`, and the batch had several items                |
 * |                  | failed    | the commit failed in any other way                                            |
 * | alone            | done      | its own commit succeeded                                                      |
 * |                  | failed    | its own commit failed                                                         |
 *
 * Never is an item committed again after a failure that may have left something behind, never does an item wait while
 * no batch of its key runs and another batch may start, and never does an item end without its caller being told.
 */
export class GroupCommit<Key extends string | number, Item, Outcome> {
  readonly #options: GroupCommitOptions<Key, Item, Outcome>
  /** Keys that have items here, in the order of their turns. */
  readonly #lanes = new Map<Key, Lane<Item, Outcome>>()
  #waitingWeight = 0
  #running = 0

  constructor(options: GroupCommitOptions<Key, Item, Outcome>) {
    this.#options = options
  }

  async submit(key: Key, item: Item): Promise<Outcome> {
    const weight = this.#options.weightOf?.(item) ?? 1
    if (this.#waitingWeight > 0 && this.#waitingWeight + weight > this.#options.waitingWeightMax) {
      throw new QueueFull('too much is waiting')
    }
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const lane = this.#lanes.get(key) ?? { waiting: [], weight: 0, running: 0 }
    lane.waiting.push({ item, weight, resolve, reject })
    lane.weight += weight
    this.#lanes.set(key, lane)
    this.#waitingWeight += weight
    this.#startBatches()
    return promise
  }

  /** A key whose batch starts goes to the end of the map, behind the keys that have not had their turn. */
  #startBatches(): void {
    for (const [key, lane] of this.#lanes) {
      if (this.#running >= this.#options.batchesMax) return
      if (!this.#isEnough(lane)) continue
      this.#lanes.delete(key)
      this.#lanes.set(key, lane)
      void this.#runBatch(key, lane)
    }
  }

  #isEnough({ waiting, weight, running }: Lane<Item, Outcome>): boolean {
    if (waiting.length === 0 || running === 0) return waiting.length > 0
    const { besideWeightsMin, batchesMax, keyBatchesMax = batchesMax } = this.#options
    if (running >= keyBatchesMax) return false
    return weight >= (besideWeightsMin[running - 1] ?? besideWeightsMin.at(-1) ?? 0)
  }

  /** Does not throw: a failure is told to the callers of the items. */
  async #runBatch(key: Key, lane: Lane<Item, Outcome>): Promise<void> {
    const batch = lane.waiting.splice(0, this.#countForBatch(lane.waiting))
    for (const { weight } of batch) {
      lane.weight -= weight
      this.#waitingWeight -= weight
    }
    this.#running += 1
    lane.running += 1
    await this.#settle(key, batch)
    this.#running -= 1
    lane.running -= 1
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(key)
    this.#startBatches()
  }

  #countForBatch(waiting: readonly Waiting<Item, Outcome>[]): number {
    let sum = 0
    const over = waiting.findIndex(({ weight }) => {
      sum += weight
      return sum > this.#options.batchWeightMax
    })
    return over === -1 ? waiting.length : Math.max(over, 1)
  }

  /** When a batch was undone, each item is committed alone, so that only the item to blame fails. */
  async #settle(key: Key, batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item)
      const outcomes = await this.#options.commit(key, items)
      for (const [at, { resolve }] of batch.entries()) resolve(outcomeAt(outcomes, at))
    } catch (cause) {
      if (batch.length > 1 && this.#options.isUndone(cause)) {
        for (const waiting of batch) await this.#settle(key, [waiting])
      } else for (const { reject } of batch) reject(cause)
    }
  }
}

/** The items of one key that wait, their weight, and how many of its batches run. */
type Lane<Item, Outcome> = {
  readonly waiting: Waiting<Item, Outcome>[]
  weight: number
  running: number
}

type Waiting<Item, Outcome> = {
  readonly item: Item
  readonly weight: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (cause: unknown) => void
}

function outcomeAt<Outcome>(outcomes: readonly Outcome[], at: number): Outcome {
  const outcome = outcomes[at]
  if (outcome === undefined) throw new Error(`a group commit gave no outcome for item ${at}`)
  return outcome
}
