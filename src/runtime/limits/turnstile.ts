import { Budget } from './budget.ts'

export type TurnstileOptions = {
  /** How many are let in at once, and how many of one key. */
  readonly placesMax: number
  readonly placesOfOneMax: number
  /** How many of one key may wait, and how long each. */
  readonly waitersMax: number
  readonly waitMs: number
}

/**
 * Lets so many do something at once, and of each key fewer, so that a crowd of one key waits for itself and not the
 * others for it. They first wait for a place of their key, and then, few of each key, for one of all.
 */
export class Turnstile {
  readonly #options: TurnstileOptions
  readonly #all: Budget
  /** Of those keys that have somebody here. */
  readonly #ofOne = new Map<string, Lane>()

  constructor(options: TurnstileOptions) {
    this.#options = options
    const { placesMax, waitMs } = options
    this.#all = new Budget({ amountMax: placesMax, waitersMax: KEYS_MAX * options.placesOfOneMax, waitMs })
  }

  async pass<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const lane = this.#enter(key)
    const [own, shared] = [lane.budget.open(), this.#all.open()]
    try {
      await own.reserve(1)
      await shared.reserve(1)
      return await work()
    } finally {
      shared.release()
      own.release()
      this.#leave(key, lane)
    }
  }

  #enter(key: string): Lane {
    const { placesOfOneMax: amountMax, waitersMax, waitMs } = this.#options
    const lane = this.#ofOne.get(key) ?? { budget: new Budget({ amountMax, waitersMax, waitMs }), users: 0 }
    lane.users += 1
    this.#ofOne.set(key, lane)
    return lane
  }

  #leave(key: string, lane: Lane): void {
    lane.users -= 1
    if (lane.users === 0) this.#ofOne.delete(key)
  }
}

type Lane = { readonly budget: Budget; users: number }

/** How many keys may have somebody waiting for one of all places. */
const KEYS_MAX = 1_000
