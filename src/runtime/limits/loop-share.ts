import { setImmediate as nextTurn } from 'node:timers/promises'
import { Limiter } from './limiter.ts'

type ShareRequest = {
  /** Work of one key is done one after the other, and other keys in between. */
  readonly key: string
  readonly signal?: AbortSignal
}

/** The part of a long computation that runs in one turn of the loop. */
export type LoopSlice = {
  /** Lets the loop serve others if this computation has had its slice; call it between two small steps. */
  readonly pass: () => Promise<void>
}

/**
 * Shares the event loop of a process between brands. A long computation runs in slices of a few milliseconds, and of
 * one brand only one computation runs at a time. So a request of another brand waits for one slice of each busy brand,
 * however many calls that brand sends.
 */
export class LoopShare {
  readonly #turns = new Limiter({
    capacity: Number.MAX_SAFE_INTEGER,
    keyCapacity: 1,
    waitersMax: WAITING_MAX,
    waitMs: WAIT_MS,
  })

  async run<Value>(request: ShareRequest, work: (slice: LoopSlice) => Promise<Value>): Promise<Value> {
    return this.#turns.run(request, async () => {
      let begunAt = performance.now()
      const pass = async (): Promise<void> => {
        if (performance.now() - begunAt < SLICE_MS) return
        await nextTurn()
        begunAt = performance.now()
      }
      // Calls that were granted one after the other in one turn would be one long turn.
      await nextTurn()
      return work({ pass })
    })
  }
}

const SLICE_MS = 8
/** As many as a process has requests in flight. A caller who waits longer than this is told to come back. */
const WAITING_MAX = 1_000
const WAIT_MS = 30_000
