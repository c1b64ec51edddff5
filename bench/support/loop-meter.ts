/**
 * The longest turn of this process's loop, in CPU time of its thread. Wall time would also count the turns that other
 * programs of a busy machine had in between. A timer looks every millisecond, and no more often: each look leaves
 * garbage, which would be charged to the request whose memory is measured.
 */
export class LoopMeter {
  #longestMs = 0
  #before = threadMs()
  #timer: NodeJS.Timeout | null = null

  start(): void {
    this.#longestMs = 0
    this.#before = threadMs()
    this.#timer = setInterval(() => this.#note(), LOOK_MS)
  }

  /** Returns the longest turn since the start, a millisecond at most too long. */
  stop(): number {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#note()
    return this.#longestMs
  }

  #note(): void {
    const now = threadMs()
    this.#longestMs = Math.max(this.#longestMs, now - this.#before)
    this.#before = now
  }
}

const LOOK_MS = 1

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
