import type { Clock } from './clock.ts'
import type { Log, LogFields, Say } from './log.ts'

type OutageOptions = {
  readonly log: Log
  readonly clock: Clock
  /** Whether an error means that the database is away, and is no mistake of ours. */
  readonly isAway: (cause: unknown) => boolean
}

/**
 * Gathers the failures while the database is away into two lines of the log: one when it begins, and one when it is over,
 * with its start, its end and what failed how often.
 *
 * States: calm → away, with the first failure; away → calm, with an answer of the database after two seconds without a
 * failure. Connections that were cut fail a little later than the first ones succeed, and belong to the same outage.
 */
export class Outage {
  readonly #options: OutageOptions
  #begun: Begun | null = null

  constructor(options: OutageOptions) {
    this.#options = options
  }

  /** The database answered. */
  answered(): void {
    if (this.#begun === null) return
    const { log, clock } = this.#options
    const { at, lastAt, failed } = this.#begun
    if (clock.now() - lastAt < CALM_MS) return
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
    if (!this.#options.isAway(cause)) return false
    const { log, clock } = this.#options
    const now = clock.now()
    if (this.#begun === null) {
      this.#begun = { at: now, lastAt: now, failed: new Map() }
      log.warn('the database is away', { reason: cause instanceof Error ? cause.message : String(cause) })
    }
    const { failed } = this.#begun
    this.#begun.lastAt = now
    const what = typeof fields['loop'] === 'string' ? `${fields['loop']}: ${message}` : message
    failed.set(what, (failed.get(what) ?? 0) + 1)
    return true
  }
}

type Begun = { readonly at: number; lastAt: number; readonly failed: Map<string, number> }

const CALM_MS = 2_000

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
