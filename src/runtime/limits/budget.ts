import { QueueFull } from './queue-full.ts'

export type BudgetOptions = {
  readonly amountMax: number
  /** How many may wait, and how long. */
  readonly waitersMax: number
  readonly waitMs: number
}

/** What one of its users holds of the budget. */
export type Room = {
  /** Waits until there is room for so much. More than the whole budget gets the budget for itself. */
  readonly reserve: (amount: number) => Promise<void>
  readonly release: () => void
  /** How much it holds now. */
  readonly held: () => number
}

/**
 * Bounds what several may take of something together, such as memory: whoever comes when it is spent waits, first come,
 * first served.
 */
export class Budget {
  readonly #options: BudgetOptions
  readonly #waiting: Waiting[] = []
  #used = 0

  constructor(options: BudgetOptions) {
    this.#options = options
  }

  open(): Room {
    let held = 0
    return {
      reserve: async (amount) => {
        const share = Math.min(amount, this.#options.amountMax)
        await this.#take(share)
        held += share
      },
      held: () => held,
      release: () => {
        if (held === 0) return
        this.#used -= held
        held = 0
        this.#admit()
      },
    }
  }

  async #take(amount: number): Promise<void> {
    const { waitersMax, waitMs } = this.#options
    if (this.#waiting.length >= waitersMax) throw new QueueFull('too many are waiting')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.#giveUp(waiting), waitMs)
    const waiting = { amount, resolve, reject }
    this.#waiting.push(waiting)
    this.#admit()
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  #admit(): void {
    while (true) {
      const [next] = this.#waiting
      if (next === undefined || this.#used + next.amount > this.#options.amountMax) return
      this.#waiting.shift()
      this.#used += next.amount
      next.resolve()
    }
  }

  #giveUp(waiting: Waiting): void {
    const place = this.#waiting.indexOf(waiting)
    if (place === -1) return
    this.#waiting.splice(place, 1)
    waiting.reject(new QueueFull('nothing became free in time'))
  }
}

type Waiting = {
  readonly amount: number
  readonly resolve: () => void
  readonly reject: (cause: QueueFull) => void
}
