import type { Meter, Metrics } from '../metrics.ts'

/** How the claim of an item ended. */
export type LoopOutcome = 'settled' | 'failed' | 'released' | 'lost'

export type LoopMeters = {
  readonly items: Meter<'loop' | 'outcome'>
  readonly seconds: Meter<'loop'>
}

/** The metrics of all loops, labelled by the loop's name. */
export function loopMeters(metrics: Metrics): LoopMeters {
  return {
    items: metrics.counter({
      name: 'beckon_loop_items_total',
      help: 'Items that a background loop claimed, by outcome.',
      labels: ['loop', 'outcome'],
    }),
    seconds: metrics.histogram({
      name: 'beckon_loop_item_seconds',
      help: 'Time from the claim of an item to its end.',
      labels: ['loop'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    }),
  }
}
