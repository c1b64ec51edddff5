import { setTimeout as sleep } from 'node:timers/promises'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'

type PaceOptions = {
  readonly intake: IntakeWatch
  /** Ends a rest. */
  readonly signal: AbortSignal
  /** The most time for a copied event, its work and rests together (`domain/events/freeze-rests.ts`). */
  readonly eventMsMax: number
  /** The time after which a part of a week ends; five minutes if it is not given. Tests bring their own. */
  readonly partMsMax?: number | undefined
  /** Tests bring their own. */
  readonly time?: PaceTime
}

export type PaceTime = {
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
 * PostgreSQL does a large part of the work of freezing and has no priorities, so only rests leave its processor to others. There is a pace
 * for each transaction that copies rows. The rests go on until the last row. Where the copy of events and the rests would take longer than
 * `eventMsMax` allows, a rest is shorter, but at least as long as the piece of work before it. The writing of a file is not counted, but
 * the rest after it is.
 */
export class FreezePace {
  readonly #intake: IntakeWatch
  readonly #signal: AbortSignal
  readonly #eventMsMax: number
  readonly #partMsMax: number
  readonly #time: PaceTime
  readonly #begunAt: number
  /** The time that the copied events may take, less their work and rests so far. */
  #leftMs = 0
  /** The writing of a file with the rest after it; never fails. */
  #writing: Promise<unknown> = Promise.resolve()

  constructor({
    intake,
    signal,
    eventMsMax,
    partMsMax = EVENT_FILE_LIMITS.partMsMax,
    time = SYSTEM_TIME,
  }: PaceOptions) {
    this.#intake = intake
    this.#signal = signal
    this.#eventMsMax = eventMsMax
    this.#partMsMax = partMsMax
    this.#time = time
    this.#begunAt = time.elapsed()
  }

  /** How many events a piece of PostgreSQL's work is to have. */
  async pieceOf(events: PieceSizes): Promise<number> {
    return (await this.#intake.isBusy()) ? events.busy : events.quiet
  }

  /** Whether the transaction is to end here: it has lasted long, or it has copied a full file and events come in. */
  async isPartOver({ isFileFull }: { readonly isFileFull: boolean }): Promise<boolean> {
    if (this.#time.elapsed() - this.#begunAt >= this.#partMsMax) return true
    return isFileFull && (await this.#intake.isBusy())
  }

  /** Lets DuckDB write a file, and rests if events come in. No rows are copied for the next file until then. */
  async write<Value>(work: () => Promise<Value>): Promise<Value> {
    const writing = this.#write(work)
    this.#writing = writing.catch(() => undefined)
    return writing
  }

  /**
   * Yields the same chunks, which are a piece of PostgreSQL's work, and rests after the last one if events come in. The time of the
   * reader does not count. `countEvents` is called after the last chunk, and tells how many events were copied.
   */
  async *each(chunks: AsyncIterable<Buffer>, countEvents: () => number): AsyncGenerator<Buffer> {
    if (await this.#intake.isBusy()) await this.#writing
    let workedMs = 0
    let askedAt = this.#time.elapsed()
    for await (const chunk of chunks) {
      workedMs += this.#time.elapsed() - askedAt
      yield chunk
      askedAt = this.#time.elapsed()
    }
    workedMs += this.#time.elapsed() - askedAt
    this.#leftMs += countEvents() * this.#eventMsMax - workedMs
    await this.#rest(workedMs, REST_RATIO)
  }

  async #write<Value>(work: () => Promise<Value>): Promise<Value> {
    const begunAt = this.#time.elapsed()
    const value = await work()
    await this.#rest(this.#time.elapsed() - begunAt, WRITE_REST_RATIO)
    return value
  }

  async #rest(workedMs: number, ratio: number): Promise<void> {
    const isBusy = await this.#intake.isBusy()
    const affordedMs = Math.max(workedMs, Math.min(workedMs * ratio, this.#leftMs))
    const ms = Math.min(affordedMs, REST_MS_MAX)
    if (!isBusy || ms <= 0) return
    this.#leftMs -= ms
    await this.#time.sleep(ms, this.#signal)
  }
}

const LOOK_MS = 1_000
const REST_RATIO = 40
/** DuckDB runs when nobody else wants to, so its work asks for less rest. */
const WRITE_REST_RATIO = 5
/** A piece that took long because the machine was busy does not stop freezing for long. */
const REST_MS_MAX = 10_000
