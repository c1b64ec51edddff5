import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Bounds how long the bulk work of a process keeps one turn of the event loop. All of it shares one slice, so that a
 * turn does not grow with the number of those who work; everything else is served between two slices.
 */
export class LoopTurns {
  /** When the slice of this turn began; null before its first work. */
  #begunAt: number | null = null

  /** Whether the slice of this turn is used up. Then `next` is to be awaited before the next small step. */
  get isOver(): boolean {
    if (this.#begunAt !== null) return performance.now() - this.#begunAt >= SLICE_MS
    this.#begunAt = performance.now()
    setImmediate(() => {
      this.#begunAt = null
    })
    return false
  }

  /** Waits for a turn whose slice is not used up. */
  async next(): Promise<void> {
    do await nextTurn()
    while (this.isOver)
  }
}

/** A single send needs some ten turns, so that it loses a few hundredths of a second to a broadcast beside it. */
const SLICE_MS = 4
