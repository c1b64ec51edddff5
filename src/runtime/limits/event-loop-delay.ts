import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Measures how late the event loop of this process runs, while somebody asks for it: a process with nothing to do is
 * not late, and the measuring would wake it a hundred times a second.
 *
 * | state     | moves to  | when                                     |
 * |-----------|-----------|------------------------------------------|
 * | off       | measuring | the delay is asked for; the answer is 0  |
 * | measuring | off       | nobody asked for `SAMPLES_UNASKED` samples, or `stop` |
 */
export class EventLoopDelay {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #sampler: NodeJS.Timeout | null = null
  #unasked = 0
  #ms = 0

  /** The mean delay of the last quarter of a second, so that one long garbage collection does not count for long. */
  get ms(): number {
    this.#unasked = 0
    if (this.#sampler === null) this.#start()
    return this.#ms
  }

  stop(): void {
    if (this.#sampler !== null) clearInterval(this.#sampler)
    this.#sampler = null
    this.#delays.disable()
    this.#ms = 0
  }

  #start(): void {
    this.#delays.reset()
    this.#delays.enable()
    this.#sampler = setInterval(() => this.#sample(), SAMPLE_MS).unref()
  }

  #sample(): void {
    this.#unasked += 1
    if (this.#unasked > SAMPLES_UNASKED) return this.stop()
    const { mean } = this.#delays
    this.#ms = Number.isNaN(mean) ? 0 : mean / 1e6 - RESOLUTION_MS
    this.#delays.reset()
  }
}

const RESOLUTION_MS = 10
const SAMPLE_MS = 250
/** Five seconds. */
const SAMPLES_UNASKED = 20
