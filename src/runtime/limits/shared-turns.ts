import { QueueFull } from './limiter.ts'

export type SharedTurnsOptions<Item, Outcome> = {
  /** Does the work of several items at once and gives an outcome for each, in their order. */
  readonly work: (key: number, items: readonly Item[]) => Promise<readonly Outcome[]>
  /** Whether a failure certainly left nothing behind, so that the same items may be tried one by one. */
  readonly isUndone: (cause: unknown) => boolean
  readonly weightOf: (item: Item) => number
  /** The most that one turn takes; a single item may be heavier and then goes alone. */
  readonly turnWeightMax: number
  /** How many turns run at the same time. */
  readonly turnsMax: number
  /**
   * What must be waiting for a key before a second, third … of its turns runs beside those that do; the last holds for
   * all that follow. With less, it waits for one to end: sharing is worth more than haste.
   */
  readonly besideWeightsMin: readonly [number, ...number[]]
  readonly waitingWeightMax: number
}

/**
 * Lets work that arrives together be done together: while a turn runs, what comes in for the same key waits and
 * shares the next. Nobody waits when there is nothing to wait for, so a lone item is as fast as it can be and a crowd
 * costs little more than one. Keys take turns, so that a busy one does not hold up the others.
 */
export class SharedTurns<Item, Outcome> {
  readonly #options: SharedTurnsOptions<Item, Outcome>
  /** In the order the keys will have their turn. */
  readonly #waiting = new Map<number, Waiting<Item, Outcome>[]>()
  readonly #runningOf = new Map<number, number>()
  #waitingWeight = 0
  #running = 0

  constructor(options: SharedTurnsOptions<Item, Outcome>) {
    this.#options = options
  }

  async submit(key: number, item: Item): Promise<Outcome> {
    const weight = this.#options.weightOf(item)
    if (this.#waitingWeight > 0 && this.#waitingWeight + weight > this.#options.waitingWeightMax) {
      throw new QueueFull('too much is waiting')
    }
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const queue = this.#waiting.get(key) ?? []
    queue.push({ item, weight, resolve, reject })
    this.#waiting.set(key, queue)
    this.#waitingWeight += weight
    this.#startTurns()
    return promise
  }

  #startTurns(): void {
    while (this.#running < this.#options.turnsMax) {
      const key = this.#nextKey()
      if (key === null) return
      const queue = this.#waiting.get(key) ?? []
      this.#waiting.delete(key)
      const taken = queue.splice(0, this.#countForTurn(queue))
      if (queue.length > 0) this.#waiting.set(key, queue)
      for (const { weight } of taken) this.#waitingWeight -= weight
      void this.#runTurn(key, taken)
    }
  }

  /** The first key that has no turn running, or enough waiting for another. */
  #nextKey(): number | null {
    for (const [key, queue] of this.#waiting) {
      if (this.#isEnough(queue, this.#runningOf.get(key) ?? 0)) return key
    }
    return null
  }

  #isEnough(queue: readonly Waiting<Item, Outcome>[], running: number): boolean {
    if (running === 0) return true
    const { besideWeightsMin } = this.#options
    const weightMin = besideWeightsMin[running - 1] ?? besideWeightsMin.at(-1) ?? 0
    let weight = 0
    return queue.some((waiting) => {
      weight += waiting.weight
      return weight >= weightMin
    })
  }

  #countForTurn(queue: readonly Waiting<Item, Outcome>[]): number {
    let weight = 0
    const over = queue.findIndex((waiting) => {
      weight += waiting.weight
      return weight > this.#options.turnWeightMax
    })
    return over === -1 ? queue.length : Math.max(over, 1)
  }

  /** Does not throw: whatever goes wrong is told to those who wait. */
  async #runTurn(key: number, taken: readonly Waiting<Item, Outcome>[]): Promise<void> {
    this.#running += 1
    const others = this.#runningOf.get(key) ?? 0
    this.#runningOf.set(key, others + 1)
    await this.#settle(key, taken)
    this.#running -= 1
    this.#leave(key)
    this.#startTurns()
  }

  #leave(key: number): void {
    const others = (this.#runningOf.get(key) ?? 1) - 1
    if (others === 0) this.#runningOf.delete(key)
    else this.#runningOf.set(key, others)
  }

  /** When work for several fails and left nothing behind, each is tried alone, so that only the one to blame is told. */
  async #settle(key: number, taken: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#options.work(
        key,
        taken.map(({ item }) => item),
      )
      for (const [place, waiting] of taken.entries()) waiting.resolve(outcomeAt(outcomes, place))
    } catch (cause) {
      if (taken.length > 1 && this.#options.isUndone(cause)) {
        for (const waiting of taken) await this.#settle(key, [waiting])
      } else for (const waiting of taken) waiting.reject(cause)
    }
  }
}

type Waiting<Item, Outcome> = {
  readonly item: Item
  readonly weight: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (cause: unknown) => void
}

function outcomeAt<Outcome>(outcomes: readonly Outcome[], place: number): Outcome {
  const outcome = outcomes[place]
  if (outcome === undefined) throw new Error(`shared work gave no outcome for item ${place}`)
  return outcome
}
