import type { Sleep } from '../clock.ts'

/**
 * Cuts idle waits short when there is work. Several loops may wait, each with the count it saw before its last look,
 * so that no loop sleeps through a nudge that came in between.
 */
export class Wake {
  /** An array, because the old tables of a `Set` keep former sleepers, with all that they refer to, in memory until the next full garbage collection. */
  readonly #sleepers: (() => void)[] = []
  readonly #branches: Wake[] = []
  #count = 0

  /** The number of nudges so far. */
  get count(): number {
    return this.#count
  }

  nudge(): void {
    this.#count += 1
    for (const wakeUp of this.#sleepers) wakeUp()
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
    if (signal.aborted) return false
    const sleeper = new AbortController()
    // With a reason of our own; without it, each nudge would make an exception and its stack.
    const wakeUp = (): void => sleeper.abort('nudged')
    this.#sleepers.push(wakeUp)
    signal.addEventListener('abort', wakeUp, { once: true })
    await sleep(ms, sleeper.signal)
    signal.removeEventListener('abort', wakeUp)
    this.#forget(wakeUp)
    return this.#count !== seen
  }

  #forget(wakeUp: () => void): void {
    const last = this.#sleepers.pop()
    const place = last === undefined || last === wakeUp ? -1 : this.#sleepers.indexOf(wakeUp)
    if (last !== undefined && place >= 0) this.#sleepers[place] = last
  }
}

type WakeWait = { readonly signal: AbortSignal; readonly sleep: Sleep }
