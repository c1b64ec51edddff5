import { QueueFull } from './queue-full.ts'

export type ByteBudgetOptions = {
  readonly bytesMax: number
  /** How many may wait, and how long. */
  readonly waitersMax: number
  readonly waitMs: number
}

/** What one request holds of the budget. */
export type Room = {
  /** Waits until there is room for so many bytes. More than the whole budget gets the budget for itself. */
  readonly reserve: (bytes: number) => Promise<void>
  readonly release: () => void
  /** How much it holds now. */
  readonly held: () => number
}

/**
 * Bounds what large things may take of the memory together: whoever comes when it is spent waits, first come, first
 * served, without having been read.
 */
export class ByteBudget {
  readonly #options: ByteBudgetOptions
  readonly #waiting: Waiting[] = []
  #used = 0

  constructor(options: ByteBudgetOptions) {
    this.#options = options
  }

  open(): Room {
    let held = 0
    return {
      reserve: async (bytes) => {
        const share = Math.min(bytes, this.#options.bytesMax)
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

  async #take(bytes: number): Promise<void> {
    const { waitersMax, waitMs } = this.#options
    if (this.#waiting.length >= waitersMax) throw new QueueFull('too many wait for memory')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.#giveUp(waiting), waitMs)
    const waiting = { bytes, resolve, reject }
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
      if (next === undefined || this.#used + next.bytes > this.#options.bytesMax) return
      this.#waiting.shift()
      this.#used += next.bytes
      next.resolve()
    }
  }

  #giveUp(waiting: Waiting): void {
    const place = this.#waiting.indexOf(waiting)
    if (place === -1) return
    this.#waiting.splice(place, 1)
    waiting.reject(new QueueFull('no memory became free in time'))
  }
}

type Waiting = {
  readonly bytes: number
  readonly resolve: () => void
  readonly reject: (cause: QueueFull) => void
}
