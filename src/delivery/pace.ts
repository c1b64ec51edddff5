import { setTimeout as wait } from 'node:timers/promises'
import type { ThrottleShare } from '../store/push/throttle.ts'

/** The pace of a chunk: when each of its recipients may be handed over. */
export type Pace = {
  /** How many recipients may be handed over in this share of time. */
  readonly count: number
  readonly turn: (index: number) => Promise<void>
  /** The time until this recipient's turn. */
  readonly leftMs: (index: number) => number
}

/** The pace of a notification without a throttle. */
export const UNBOUND: Pace = {
  count: Number.POSITIVE_INFINITY,
  turn: async () => undefined,
  leftMs: () => 0,
}

/** Each turn is counted from the start and not from the turn before, so that delays do not add up. */
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
