import type { Meter, Metrics } from '../metrics.ts'

/** What can become of a claimed item. */
export type LoopOutcome = 'settled' | 'failed' | 'released' | 'lost'

export type LoopMeters = {
  readonly items: Meter<'loop' | 'outcome'>
  readonly seconds: Meter<'loop'>
}

/** The measures every loop shares, told apart by its name. */
export function loopMeters(metrics: Metrics): LoopMeters {
  return {
    items: metrics.counter({
      name: 'beckon_loop_items_total',
      help: 'Items a background loop claimed, and what became of them.',
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
