/**
 * How long a `Retry-After` header asks us to wait: whole seconds or an HTTP date (RFC 9110 §10.2.3). Null when it does
 * not ask.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null
  const text = header.trim()
  const waitMs = SECONDS.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  // A date in the past is no wish; a comparison with what is not a number is false.
  return waitMs >= 0 ? Math.min(waitMs, WAIT_MAX_MS) : null
}

const SECONDS = /^\d+$/

/** No provider keeps a message longer than four weeks, so a message that must wait longer has expired anyway. */
const WAIT_MAX_MS = 28 * 86_400_000
