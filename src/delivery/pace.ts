import { setTimeout as wait } from 'node:timers/promises'
import type { ThrottleShare } from '../store/push/throttle.ts'

/** When each recipient of a chunk may be handed over. */
export type Pace = {
  /** How many may be handed over at all for now. */
  readonly count: number
  readonly turn: (index: number) => Promise<void>
  /** How long from now until it is the turn of this one. */
  readonly leftMs: (index: number) => number
}

/** As fast as they can be. */
export const UNBOUND: Pace = {
  count: Number.POSITIVE_INFINITY,
  turn: async () => undefined,
  leftMs: () => 0,
}

/** Each turn is reckoned from the start and not from the turn before, so that delays do not add up. */
export function paceOf({ count, startMs }: ThrottleShare, perSecond: number): Pace {
  const startAt = performance.now() + startMs
  const leftMs = (index: number): number => startAt + (index * 1000) / perSecond - performance.now()
  return {
    count,
    leftMs: (index) => Math.max(0, leftMs(index)),
    turn: async (index) => {
      const ms = leftMs(index)
      if (ms > 0) await wait(ms)
    },
  }
}
