import { setTimeout as sleep } from 'node:timers/promises'

type PaceOptions = {
  readonly intake: IntakeWatch
  /** Ends a rest. */
  readonly signal: AbortSignal
  /** Tests bring their own. */
  readonly time?: PaceTime
}

type PaceTime = {
  readonly elapsed: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

const SYSTEM_TIME: PaceTime = {
  elapsed: () => performance.now(),
  sleep: async (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
}

/** Tells whether events come in. All ranges of a round share one, so that a new range does not begin without knowing it. */
export class IntakeWatch {
  readonly #lastBatch: () => Promise<bigint>
  readonly #elapsed: () => number
  #seen: bigint | null = null
  #lookedAt = Number.NEGATIVE_INFINITY
  #isBusy = true

  /** `lastBatch` is a number that changes whenever events are stored. Tests bring their own time. */
  constructor(lastBatch: () => Promise<bigint>, { elapsed }: Pick<PaceTime, 'elapsed'> = SYSTEM_TIME) {
    this.#lastBatch = lastBatch
    this.#elapsed = elapsed
  }

  /** Until it has looked twice, events are taken to come in. */
  async isBusy(): Promise<boolean> {
    const now = this.#elapsed()
    if (now - this.#lookedAt < LOOK_MS) return this.#isBusy
    this.#lookedAt = now
    const last = await this.#lastBatch()
    this.#isBusy = last !== this.#seen
    this.#seen = last
    return this.#isBusy
  }
}

/**
 * Slows freezing down while events come in: after each piece of work it rests for several times as long. Weeks that have ended
 * can wait, and the callers who send events cannot. PostgreSQL does half of the work of freezing and has no priorities, so
 * only rests leave its processor to others. There is a pace for each range, whose rests have a bound: its rows are read in one
 * transaction, and vacuum waits for that.
 */
export class FreezePace {
  readonly #intake: IntakeWatch
  readonly #signal: AbortSignal
  readonly #time: PaceTime
  #restedMs = 0

  constructor({ intake, signal, time = SYSTEM_TIME }: PaceOptions) {
    this.#intake = intake
    this.#signal = signal
    this.#time = time
  }

  /** Does a piece of work, and rests if events come in. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const begunAt = this.#time.elapsed()
    const value = await work()
    await this.#rest(this.#time.elapsed() - begunAt)
    return value
  }

  /** Yields the same chunks, and rests after the last one if events come in. The time of the reader does not count. */
  async *each(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let workedMs = 0
    let askedAt = this.#time.elapsed()
    for await (const chunk of chunks) {
      workedMs += this.#time.elapsed() - askedAt
      yield chunk
      askedAt = this.#time.elapsed()
    }
    await this.#rest(workedMs + this.#time.elapsed() - askedAt)
  }

  async #rest(workedMs: number): Promise<void> {
    const isBusy = await this.#intake.isBusy()
    const ms = Math.min(workedMs * REST_RATIO, REST_MS_MAX, ALL_RESTS_MS_MAX - this.#restedMs)
    if (!isBusy || ms <= 0) return
    this.#restedMs += ms
    await this.#time.sleep(ms, this.#signal)
  }
}

const LOOK_MS = 1_000
const REST_RATIO = 20
/** A piece that took long because the machine was busy does not stop freezing for long. */
const REST_MS_MAX = 30_000
const ALL_RESTS_MS_MAX = 600_000
