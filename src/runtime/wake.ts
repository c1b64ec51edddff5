import type { Sleep } from './sleep.ts'

/**
 * Cuts an idle wait short when there is news (a NOTIFY, a commit in this process). A nudge that comes while
 * nobody waits is kept, so that news between the last look and the wait is not slept through.
 */
export class Wake {
  #isNudged = false
  #end: AbortController | null = null

  nudge(): void {
    this.#isNudged = true
    this.#end?.abort()
  }

  /** Waits until `ms` have passed, a nudge came, or the signal aborts; true if it was a nudge. */
  async wait(ms: number, signal: AbortSignal, sleep: Sleep): Promise<boolean> {
    const end = new AbortController()
    this.#end = end
    if (!this.#isNudged) await sleep(ms, AbortSignal.any([signal, end.signal]))
    this.#end = null
    const wasNudged = this.#isNudged
    this.#isNudged = false
    return wasNudged
  }
}
