/** The result of one try at a request. */
export type Try =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | null }
  /** Nobody knows whether it was done. */
  | { readonly kind: 'unanswered' }

export type RetryFacts = {
  /** Counts from 1. */
  readonly attempt: number
  readonly attemptsMax: number
  /** Doing it twice has the effect of doing it once. */
  readonly isSafe: boolean
  /** In [0, 1), so that many clients do not come back in step. */
  readonly jitter: number
}

/** How long to wait before the next try; null when there should be none. */
export function planRetry(outcome: Try, { attempt, attemptsMax, isSafe, jitter }: RetryFacts): number | null {
  if (attempt >= attemptsMax) return null
  const backoffMs = Math.min(BACKOFF_MS * 2 ** (attempt - 1), BACKOFF_MS_MAX) * (0.5 + jitter / 2)
  if (outcome.kind === 'unanswered') return isSafe ? backoffMs : null
  const { status, retryAfterMs } = outcome
  if (!NOT_DONE.has(status) && !(isSafe && UNSETTLED.has(status))) return null
  // Somebody who is to wait this long should rather be told.
  if (retryAfterMs !== null && retryAfterMs > WAIT_MS_MAX) return null
  return Math.max(backoffMs, retryAfterMs ?? 0)
}

const BACKOFF_MS = 200
const BACKOFF_MS_MAX = 10_000
const WAIT_MS_MAX = 60_000

/** Turned away before anything was done. */
const NOT_DONE: ReadonlySet<number> = new Set([429, 503])
/** May come out otherwise the next time; 409 among guarded calls is the first try still running. */
const UNSETTLED: ReadonlySet<number> = new Set([408, 500, 502, 504])
