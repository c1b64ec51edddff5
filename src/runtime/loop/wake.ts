import type { Sleep } from '../clock.ts'

/**
 * Cuts idle waits short when there is work. Several loops may wait, each with the count it saw before its last look,
 * so that no loop sleeps through a nudge that came in between.
 */
export class Wake {
  readonly #sleepers = new Set<AbortController>()
  readonly #branches: Wake[] = []
  #count = 0

  /** The number of nudges so far. */
  get count(): number {
    return this.#count
  }

  nudge(): void {
    this.#count += 1
    for (const sleeper of this.#sleepers) sleeper.abort()
    for (const branch of this.#branches) branch.nudge()
  }

  /** A wake for one of several loops: it is nudged whenever this one is, and can be nudged alone. */
  branch(): Wake {
    const branch = new Wake()
    this.#branches.push(branch)
    return branch
  }

  /** Waits until `ms` have passed, a nudge beyond `seen` came, or the signal aborts; true if a nudge came. */
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
