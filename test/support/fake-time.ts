import type { LoopTime } from '../../src/runtime/loop/loop.ts'

type Sleeper = { readonly wakeAt: number; readonly ms: number; readonly end: () => void }

/** Time that stands still until a test moves it. Chance is the middle of its range, so jitter changes nothing. */
export class FakeTime implements LoopTime {
  #now = 0
  readonly #sleepers = new Set<Sleeper>()
  /** How long each sleep was asked to be, in order. */
  readonly asked: number[] = []

  readonly elapsed = (): number => this.#now
  readonly random = (): number => 0.5

  readonly sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    this.asked.push(ms)
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const sleeper = { wakeAt: this.#now + ms, ms, end: resolve }
    this.#sleepers.add(sleeper)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    this.#sleepers.delete(sleeper)
  }

  /** Moves on by `ms`, waking sleepers one by one in the order they are due. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms
    await settled()
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#now = Math.max(this.#now, next.wakeAt)
      this.#sleepers.delete(next)
      next.end()
      await settled()
    }
    this.#now = until
  }

  #next(until: number): Sleeper | undefined {
    return [...this.#sleepers]
      .filter(({ wakeAt }) => wakeAt <= until)
      .toSorted((one, other) => one.wakeAt - other.wakeAt)
      .at(0)
  }
}

/** Lets everything that can go on without time passing go on. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve))
}
