import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Measures the lag of the event loop while somebody reads it: the measuring wakes a process that has nothing to do.
 *
 * | state     | moves to  | when                                                          |
 * |-----------|-----------|---------------------------------------------------------------|
 * | off       | measuring | `read`, which gives zeros                                     |
 * | measuring | measuring | `read`, which gives what was measured since the `read` before |
 * |           | off       | `UNREAD_MAX_MS` pass without a `read`                         |
 */
export class EventLoopLag {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  readonly #unreadMaxMs: number
  #off: NodeJS.Timeout | null = null

  constructor({ unreadMaxMs = UNREAD_MAX_MS }: { readonly unreadMaxMs?: number } = {}) {
    this.#unreadMaxMs = unreadMaxMs
  }

  get isMeasuring(): boolean {
    return this.#off !== null
  }

  /** The parts of the lag in the order of `EVENT_LOOP_LAGS`. */
  read(): readonly number[] {
    const seen = EVENT_LOOP_LAGS.map(({ of }) => lagSeconds(of(this.#delays)))
    this.#delays.reset()
    if (this.#off !== null) this.#off.refresh()
    else this.#start()
    return seen
  }

  #start(): void {
    this.#delays.enable()
    this.#off = setTimeout(() => this.#stop(), this.#unreadMaxMs).unref()
  }

  #stop(): void {
    this.#off = null
    this.#delays.disable()
    this.#delays.reset()
  }
}

/** The client library would look a hundred times a second. */
const RESOLUTION_MS = 500
/** Longer than any pause between two scrapes of one collector. */
const UNREAD_MAX_MS = 5 * 60_000

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
