import type { Sleep } from '../clock.ts'

/**
 * Cuts idle waits short when there is news. Several may wait, each with the count it saw before its last look: news
 * that came since is not slept through.
 */
export class Wake {
  readonly #sleepers = new Set<AbortController>()
  #count = 0

  /** How often there was news. */
  get count(): number {
    return this.#count
  }

  nudge(): void {
    this.#count += 1
    for (const sleeper of this.#sleepers) sleeper.abort()
  }

  /** Waits until `ms` have passed, there is more news than was seen, or the signal aborts; true if it was news. */
  async wait(seen: number, ms: number, { signal, sleep }: WakeWait): Promise<boolean> {
    if (this.#count !== seen) return true
    const sleeper = new AbortController()
    this.#sleepers.add(sleeper)
    await sleep(ms, AbortSignal.any([signal, sleeper.signal]))
    this.#sleepers.delete(sleeper)
    return this.#count !== seen
  }
}

type WakeWait = { readonly signal: AbortSignal; readonly sleep: Sleep }
