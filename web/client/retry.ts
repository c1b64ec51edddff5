/** The result of one try at a request. */
export type Try =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | null }
  /** Nobody knows whether it was done. */
  | { readonly kind: 'unanswered' }

export type RetryFacts = {
  /** Counts from 1. */
  readonly attempt: number
  readonly attemptsMax: number
  /** The time that is left until the caller's deadline, which then counts instead of the attempts; null without one. */
  readonly leftMs: number | null
  /** Doing it twice has the effect of doing it once. */
  readonly isSafe: boolean
  /** In [0, 1), so that many clients do not come back in step. */
  readonly jitter: number
}

/** How long to wait before the next try; null when there should be none. */
export function planRetry(outcome: Try, facts: RetryFacts): number | null {
  const { attempt, attemptsMax, leftMs } = facts
  if (leftMs === null && attempt >= attemptsMax) return null
  const waitMs = planWait(outcome, facts)
  return waitMs === null || (leftMs !== null && waitMs >= leftMs) ? null : waitMs
}

function planWait(outcome: Try, { attempt, isSafe, jitter, leftMs }: RetryFacts): number | null {
  // With a deadline the waits stay short, because a failover ends at any moment.
  const backoffMax = leftMs === null ? BACKOFF_MS_MAX : DEADLINE_BACKOFF_MS_MAX
  const backoffMs = Math.min(BACKOFF_MS * 2 ** (attempt - 1), backoffMax) * (0.5 + jitter / 2)
  if (outcome.kind === 'unanswered') return isSafe ? backoffMs : null
  const { status, retryAfterMs } = outcome
  if (!NOT_DONE.has(status) && !(isSafe && UNSETTLED.has(status))) return null
  // Somebody who is to wait this long should rather be told.
  if (retryAfterMs !== null && retryAfterMs > WAIT_MS_MAX) return null
  return Math.max(backoffMs, retryAfterMs ?? 0)
}

const BACKOFF_MS = 200
const BACKOFF_MS_MAX = 10_000
const DEADLINE_BACKOFF_MS_MAX = 2_000
const WAIT_MS_MAX = 60_000

/** Turned away before anything was done. A 503 with `outcome_unknown` comes here as 504 (`request.ts`). */
const NOT_DONE: ReadonlySet<number> = new Set([429, 503])
/** May come out otherwise the next time; 409 among guarded calls is the first try still running. */
const UNSETTLED: ReadonlySet<number> = new Set([408, 500, 502, 504])
