import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { isTooLarge } from '../../runtime/duckdb/duckdb-error.ts'
import { LineTime } from '../../runtime/duckdb/line-time.ts'
import { DroppedAway, type ThawPlace } from './thaw-pages.ts'
import { TooManyDropped } from './too-many-dropped.ts'

/** The bounds of what is brought for a statement: so many events, and so much time, which begins with the limit. The time is also that of all waits. */
export class BringLimit {
  readonly signal: AbortSignal
  readonly #max: number
  readonly #msMax: number
  readonly #line = new LineTime()
  #events = 0

  constructor({
    bringMax = EVENT_FILE_LIMITS.thawedMax,
    bringMsMax = EVENT_FILE_LIMITS.thawMsMax,
  }: Pick<ThawPlace, 'bringMax' | 'bringMsMax'>) {
    this.#max = bringMax
    this.#msMax = bringMsMax
    this.signal = AbortSignal.timeout(bringMsMax)
  }

  /** Refuses events that were counted and are not brought yet. */
  check(events: number): void {
    if (this.#events + events > this.#max) throw this.#tooMany(String(this.#events + events))
  }

  /** Takes the events of a page. */
  add(events: number): void {
    this.#events += events
    if (this.#events > this.#max) throw this.#tooMany(`more than ${this.#max}`)
  }

  /** Takes the time in which a statement waited in line, because DuckDB was busy with others. */
  waited(ms: number): void {
    this.#line.add(ms)
  }

  /**
   * What a failure means to the caller, if at most `events` more were to come. What took too long or too much memory will do so again, so
   * the caller should ask for less. Statements of others that were in the way will be gone, so the caller may ask again.
   */
  judge(cause: unknown, events: number): unknown {
    const reason = cause instanceof DroppedAway ? cause.cause : cause
    const isOver = this.signal.aborted && reason === this.signal.reason
    if (!isOver && !isTooLarge(reason)) return cause
    if (isOver && this.#line.isMost)
      return new DroppedAway('DuckDB was busy with others until the time of bringing was over', { cause })
    return this.#tooMany(`up to ${this.#events + events}`)
  }

  #tooMany(events: string): TooManyDropped {
    return new TooManyDropped({ events, max: this.#max, bringMsMax: this.#msMax })
  }
}
