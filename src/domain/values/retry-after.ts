/** How long a `Retry-After` header asks us to wait: whole seconds or an HTTP date (RFC 9110 §10.2.3). */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0
  const text = header.trim()
  const waitMs = SECONDS.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(waitMs) ? 0 : Math.min(Math.max(0, waitMs), WAIT_MAX_MS)
}

const SECONDS = /^\d+$/

/** No provider keeps a message longer than four weeks, so a message that must wait longer has expired anyway. */
const WAIT_MAX_MS = 28 * 86_400_000
