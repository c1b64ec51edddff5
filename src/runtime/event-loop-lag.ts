import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Measures the lag of the event loop. `read` gives the parts in the order of `EVENT_LOOP_LAGS`, and begins anew. */
export function meterEventLoop(): { readonly read: () => readonly number[] } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return {
    read: () => {
      const seen = EVENT_LOOP_LAGS.map(({ of }) => lagSeconds(of(delays)))
      delays.reset()
      return seen
    },
  }
}

/** The client library would look a hundred times a second, which wakes a process that has nothing to do. */
const RESOLUTION_MS = 500

type Lag = {
  readonly part: string
  readonly help: string
  readonly of: (delays: ReturnType<typeof monitorEventLoopDelay>) => number
}

/** The parts of the lag that are told, each with the name that the client library of the metrics has for it. */
export const EVENT_LOOP_LAGS: readonly Lag[] = [
  { part: 'min', help: 'The shortest lag of the event loop.', of: ({ min }) => min },
  { part: 'max', help: 'The longest lag of the event loop.', of: ({ max }) => max },
  { part: 'mean', help: 'The mean lag of the event loop.', of: ({ mean }) => mean },
  { part: 'p50', help: 'The median lag of the event loop.', of: (delays) => delays.percentile(50) },
  { part: 'p90', help: 'The lag of the event loop, 90th percentile.', of: (delays) => delays.percentile(90) },
  { part: 'p99', help: 'The lag of the event loop, 99th percentile.', of: (delays) => delays.percentile(99) },
]

/** Longer than any lag; Node writes a larger number while it has none. */
const ENDLESS_SECONDS = 1e9

/** Node measures from one look of its timer to the next, and has no value before the first. */
function lagSeconds(nanoseconds: number): number {
  const seconds = nanoseconds / 1e9 - RESOLUTION_MS / 1e3
  return seconds > 0 && seconds < ENDLESS_SECONDS ? seconds : 0
}
