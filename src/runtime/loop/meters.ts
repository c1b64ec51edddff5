import { MEASURES } from '../measures.ts'
import type { Meter, Metrics } from '../metrics.ts'

/** How the claim of an item ended. */
export type LoopOutcome = 'settled' | 'failed' | 'released' | 'lost'

export type LoopMeters = {
  readonly items: Meter<'loop' | 'outcome'>
  readonly seconds: Meter<'loop'>
  readonly claimSeconds: Meter<'loop'>
  readonly waitSeconds: Meter<'loop'>
}

/** The metrics of all loops, labelled by the loop's name. */
export function loopMeters(metrics: Metrics): LoopMeters {
  return {
    items: metrics.counter(MEASURES.loopItems),
    seconds: metrics.histogram(MEASURES.loopItemSeconds),
    claimSeconds: metrics.histogram(MEASURES.loopClaimSeconds),
    waitSeconds: metrics.histogram(MEASURES.loopWaitSeconds),
  }
}
