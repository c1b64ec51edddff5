/** The wait before the n-th try in a row: it doubles from `minMs` up to `maxMs`. */
export type Backoff = { readonly minMs: number; readonly maxMs: number }

/** `attempt` counts from 1; `jitter` is in [0, 1) and spreads the wait by ±20 %, so that processes fall out of step. */
export function backoffMs({ minMs, maxMs }: Backoff, attempt: number, jitter: number): number {
  const doubled = minMs * 2 ** Math.min(attempt - 1, DOUBLINGS_MAX)
  return Math.round(Math.min(doubled, maxMs) * (0.8 + 0.4 * jitter))
}

const DOUBLINGS_MAX = 30
