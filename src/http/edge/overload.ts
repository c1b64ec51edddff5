import { monitorEventLoopDelay } from 'node:perf_hooks'

export type OverloadOptions = { readonly inFlightMax: number; readonly loopDelayMaxMs: number }

/**
 * Knows when this process has enough to do. Refusing at once is kinder than a queue: a caller who is told can
 * come back, and those already let in are served.
 */
export class Overload {
  readonly #options: OverloadOptions
  readonly #delays: ReturnType<typeof monitorEventLoopDelay>
  readonly #sampler: NodeJS.Timeout
  #inFlight = 0
  #delayMs = 0

  constructor(options: OverloadOptions) {
    this.#options = options
    this.#delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.#delays.enable()
    this.#sampler = setInterval(() => this.#sample(), SAMPLE_MS).unref()
  }

  get inFlight(): number {
    return this.#inFlight
  }

  isOver(): boolean {
    return this.#inFlight >= this.#options.inFlightMax || this.#delayMs > this.#options.loopDelayMaxMs
  }

  /** Counts a request in; the caller runs what it gets back, once, when the request is over. */
  enter(): () => void {
    this.#inFlight += 1
    return () => {
      this.#inFlight -= 1
    }
  }

  stop(): void {
    clearInterval(this.#sampler)
    this.#delays.disable()
  }

  /** The mean of a short stretch, so that one long collection of garbage turns nobody away for long. */
  #sample(): void {
    const { mean } = this.#delays
    this.#delayMs = Number.isNaN(mean) ? 0 : mean / 1e6 - RESOLUTION_MS
    this.#delays.reset()
  }
}

const RESOLUTION_MS = 10
const SAMPLE_MS = 250
