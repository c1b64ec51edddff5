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

/** The events in a piece of work while events come in, and while none do. */
type PieceSizes = { readonly busy: number; readonly quiet: number }

const SYSTEM_TIME: PaceTime = {
  elapsed: () => performance.now(),
  sleep: async (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
}

/** Tells whether events come in. All ranges of a round share one, so that a new range does not begin without knowing it. */
export class IntakeWatch {
  readonly #lastBatch: () => Promise<bigint>
  readonly #time: PaceTime
  #seen: bigint | null = null
  #lookedAt = Number.NEGATIVE_INFINITY
  #isBusy = true

  /** `lastBatch` is a number that changes whenever events are stored. Tests bring their own time. */
  constructor(lastBatch: () => Promise<bigint>, time = SYSTEM_TIME) {
    this.#lastBatch = lastBatch
    this.#time = time
  }

  /** Until it has looked twice, events are taken to come in. */
  async isBusy(): Promise<boolean> {
    const now = this.#time.elapsed()
    if (now - this.#lookedAt < LOOK_MS) return this.#isBusy
    this.#lookedAt = now
    const last = await this.#lastBatch()
    this.#isBusy = last !== this.#seen
    this.#seen = last
    return this.#isBusy
  }

  /** Waits while events come in. False if the signal ended the wait. */
  async untilQuiet(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted && (await this.isBusy())) await this.#time.sleep(LOOK_MS, signal)
    return !signal.aborted
  }
}

/**
 * Slows freezing down while events come in: a range is copied in small pieces, not beside the writing of its files, and each
 * piece is followed by a rest of many times its length. Weeks that have ended can wait, and the callers who send events cannot.
 * PostgreSQL does half of the work of freezing and has no priorities, so only rests leave its processor to others. There is a pace
 * for each range, whose rests have a bound: its rows are read in one transaction, and vacuum waits for that.
 */
export class FreezePace {
  readonly #intake: IntakeWatch
  readonly #signal: AbortSignal
  readonly #time: PaceTime
  #restedMs = 0
  /** The writing of a file with the rest after it; never fails. */
  #writing: Promise<unknown> = Promise.resolve()

  constructor({ intake, signal, time = SYSTEM_TIME }: PaceOptions) {
    this.#intake = intake
    this.#signal = signal
    this.#time = time
  }

  /** How many events a piece of PostgreSQL's work is to have. */
  async pieceOf(events: PieceSizes): Promise<number> {
    return (await this.#intake.isBusy()) ? events.busy : events.quiet
  }

  /** Does a piece of PostgreSQL's work, and rests if events come in. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.#run(work, REST_RATIO)
  }

  /** Lets DuckDB write a file, and rests if events come in. No rows are copied for the next file until then. */
  async write<Value>(work: () => Promise<Value>): Promise<Value> {
    const writing = this.#run(work, WRITE_REST_RATIO)
    this.#writing = writing.catch(() => undefined)
    return writing
  }

  /** Yields the same chunks, and rests after the last one if events come in. The time of the reader does not count. */
  async *each(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    if (await this.#intake.isBusy()) await this.#writing
    let workedMs = 0
    let askedAt = this.#time.elapsed()
    for await (const chunk of chunks) {
      workedMs += this.#time.elapsed() - askedAt
      yield chunk
      askedAt = this.#time.elapsed()
    }
    await this.#rest((workedMs + this.#time.elapsed() - askedAt) * REST_RATIO)
  }

  async #run<Value>(work: () => Promise<Value>, restRatio: number): Promise<Value> {
    const begunAt = this.#time.elapsed()
    const value = await work()
    await this.#rest((this.#time.elapsed() - begunAt) * restRatio)
    return value
  }

  async #rest(wantedMs: number): Promise<void> {
    const isBusy = await this.#intake.isBusy()
    const ms = Math.min(wantedMs, REST_MS_MAX, ALL_RESTS_MS_MAX - this.#restedMs)
    if (!isBusy || ms <= 0) return
    this.#restedMs += ms
    await this.#time.sleep(ms, this.#signal)
  }
}

const LOOK_MS = 1_000
const REST_RATIO = 40
/** DuckDB runs when nobody else wants to, so its work asks for less rest. */
const WRITE_REST_RATIO = 5
/** A piece that took long because the machine was busy does not stop freezing for long. */
const REST_MS_MAX = 10_000
const ALL_RESTS_MS_MAX = 600_000
