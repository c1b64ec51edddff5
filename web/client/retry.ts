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
  if (waitMs === null || leftMs === null) return waitMs
  const lastMs = leftMs - LAST_TRY_MS
  // Beckon asks for longer waits in a long outage, which may be over at any moment: the last try is made while there is time for it.
  if (waitMs > lastMs && lastMs > backoffOf(facts) && !isLimited(outcome)) return lastMs
  return waitMs < leftMs ? waitMs : null
}

/** The limit of a caller ends when it says so, and no sooner. */
function isLimited(outcome: Try): boolean {
  return outcome.kind === 'answered' && outcome.status === LIMITED
}

function planWait(outcome: Try, facts: RetryFacts): number | null {
  const { isSafe } = facts
  const backoffMs = backoffOf(facts)
  if (outcome.kind === 'unanswered') return isSafe ? backoffMs : null
  const { status, retryAfterMs } = outcome
  if (!NOT_DONE.has(status) && !(isSafe && UNSETTLED.has(status))) return null
  // Somebody who is to wait this long should rather be told.
  if (retryAfterMs !== null && retryAfterMs > WAIT_MS_MAX) return null
  return Math.max(backoffMs, retryAfterMs ?? 0)
}

function backoffOf({ attempt, jitter, leftMs }: RetryFacts): number {
  // With a deadline the waits stay short, because a failover ends at any moment.
  const backoffMax = leftMs === null ? BACKOFF_MS_MAX : DEADLINE_BACKOFF_MS_MAX
  return Math.min(BACKOFF_MS * 2 ** (attempt - 1), backoffMax) * (0.5 + jitter / 2)
}

const LIMITED = 429
/** The time for the last try before a deadline. */
const LAST_TRY_MS = 2_000
const BACKOFF_MS = 200
const BACKOFF_MS_MAX = 10_000
const DEADLINE_BACKOFF_MS_MAX = 2_000
const WAIT_MS_MAX = 60_000

/** Turned away before anything was done. A 503 with `outcome_unknown` comes here as 504 (`request.ts`). */
const NOT_DONE: ReadonlySet<number> = new Set([LIMITED, 503])
/** May come out otherwise the next time; 409 among guarded calls is the first try still running. */
const UNSETTLED: ReadonlySet<number> = new Set([408, 500, 502, 504])
