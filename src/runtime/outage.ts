import type { Clock } from './clock.ts'
import type { Log, LogFields, Say } from './log.ts'

/**
 * Why the database could not be used. `away`: nobody answers, or the server starts or stops. `full`: its disk is full, so
 * it reads and does not write. `busy`: it has too much to do.
 */
export type DatabaseTrouble = 'away' | 'full' | 'busy'

type OutageOptions = {
  readonly log: Log
  readonly clock: Clock
  /** Null for an error that does not say that the database cannot be used. */
  readonly troubleOf: (cause: unknown) => DatabaseTrouble | null
}

/** The part of an outage that a refusal needs. */
export type OutageAge = Pick<Outage, 'ageMs'>

/**
 * Gathers the failures while the database is away into two lines of the log: one when it begins, and one when it is over,
 * with its start, its end and what failed how often.
 *
 * States: calm → away, with the first failure that says so: a database that is only busy begins no outage. Away → calm,
 * with an answer of the database after some time without such a failure. Connections that were cut fail a little later than
 * the first ones succeed, and belong to the same outage. While an outage is on, every failure belongs to it: a caller
 * that got no connection cannot know why.
 */
export class Outage {
  readonly #options: OutageOptions
  #begun: Begun | null = null

  constructor(options: OutageOptions) {
    this.#options = options
  }

  /** How long the outage has lasted; null without one. */
  ageMs(): number | null {
    return this.#begun === null ? null : Math.max(0, this.#options.clock.now() - this.#begun.at)
  }

  /** The database answered. */
  answered(): void {
    if (this.#begun === null) return
    const { log, clock } = this.#options
    const { at, lastAt, calmMs, failed } = this.#begun
    this.#begun.isAnswered = true
    if (clock.now() - lastAt < calmMs) return
    this.#begun = null
    log.warn('the database is back', {
      away_from: new Date(at).toISOString(),
      away_until: new Date(lastAt).toISOString(),
      away_ms: lastAt - at,
      failed: Object.fromEntries(failed),
    })
  }

  /** Whether a line of the log is one of an outage, and is counted instead of written. */
  takes(message: string, fields: LogFields): boolean {
    const cause = fields['cause'] ?? fields['error']
    const trouble = this.#options.troubleOf(cause)
    if (trouble === null || (trouble === 'busy' && this.#begun === null)) return false
    const { log, clock } = this.#options
    const now = clock.now()
    if (this.#begun === null) {
      this.#begun = { at: now, lastAt: now, calmMs: CALM_MS.busy, isAnswered: false, failed: new Map() }
      log.warn('the database is away', { reason: cause instanceof Error ? cause.message : String(cause) })
    }
    this.#begun.calmMs = Math.max(this.#begun.calmMs, CALM_MS[trouble])
    if (trouble !== 'busy') this.#begun.isAnswered = false
    // A database that answers again may be busy for long, and the outage is over.
    if (!this.#begun.isAnswered) this.#begun.lastAt = now
    const { failed } = this.#begun
    const what = typeof fields['loop'] === 'string' ? `${fields['loop']}: ${message}` : message
    failed.set(what, (failed.get(what) ?? 0) + 1)
    return true
  }
}

type Begun = {
  readonly at: number
  /** The last failure that says that the outage is on. */
  lastAt: number
  calmMs: number
  /** Whether the database answered after the last failure that was no `busy`. */
  isAnswered: boolean
  readonly failed: Map<string, number>
}

/** The time without a failure after which an answer ends the outage. A full disk still answers reads. */
const CALM_MS = { away: 2_000, busy: 2_000, full: 30_000 } as const

/** The same log without the lines of an outage. */
export function withoutOutage(log: Log, outage: Outage, always: LogFields = {}): Log {
  const gather =
    (say: Say): Say =>
    (message, fields = {}) => {
      if (!outage.takes(message, { ...always, ...fields })) say(message, fields)
    }
  return {
    ...log,
    warn: gather(log.warn),
    error: gather(log.error),
    with: (fields) => withoutOutage(log.with(fields), outage, { ...always, ...fields }),
  }
}
