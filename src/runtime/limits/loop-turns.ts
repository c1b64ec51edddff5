import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/**
 * Bounds how long the bulk work of a process keeps one turn of the event loop. All of it shares one slice, so that a
 * turn does not grow with the number of those who work; everything else is served between two slices. While somebody is
 * in a hurry, a slice is followed by as much time for others.
 */
export class LoopTurns {
  readonly #isHurried: () => boolean
  /** When the slice of this turn began; null before its first work. */
  #begunAt: number | null = null

  constructor(isHurried: () => boolean = () => false) {
    this.#isHurried = isHurried
  }

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
    do await (this.#isHurried() ? wait(SLICE_MS) : nextTurn())
    while (this.isOver)
  }
}

/** A single send needs some ten turns, so that it loses a few hundredths of a second to a broadcast beside it. */
const SLICE_MS = 4
