/**
 * The longest turn of this process's loop, in CPU time of its thread. Wall time would also count the turns that other
 * programs of a busy machine had in between.
 */
export class LoopMeter {
  #longestMs = 0
  #before = threadMs()
  #next: NodeJS.Immediate | null = null

  start(): void {
    this.#longestMs = 0
    this.#before = threadMs()
    this.#next = setImmediate(() => this.#turn())
  }

  /** Returns the longest turn since the start. */
  stop(): number {
    if (this.#next !== null) clearImmediate(this.#next)
    this.#note()
    return this.#longestMs
  }

  #turn(): void {
    this.#note()
    this.#next = setImmediate(() => this.#turn())
  }

  #note(): void {
    const now = threadMs()
    this.#longestMs = Math.max(this.#longestMs, now - this.#before)
    this.#before = now
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
