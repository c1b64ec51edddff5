import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Measures how late the event loop of this process runs. */
export class EventLoopDelay {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  readonly #sampler: NodeJS.Timeout
  #ms = 0

  constructor() {
    this.#delays.enable()
    this.#sampler = setInterval(() => this.#sample(), SAMPLE_MS).unref()
  }

  /** The mean delay of the last quarter of a second, so that one long garbage collection does not count for long. */
  get ms(): number {
    return this.#ms
  }

  stop(): void {
    clearInterval(this.#sampler)
    this.#delays.disable()
  }

  #sample(): void {
    const { mean } = this.#delays
    this.#ms = Number.isNaN(mean) ? 0 : mean / 1e6 - RESOLUTION_MS
    this.#delays.reset()
  }
}

const RESOLUTION_MS = 10
const SAMPLE_MS = 250
