import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'

/** A body that Node would not swallow in passing: one of unknown or large size, or one that was half read. */
export function isUnread(raw: IncomingMessage, bytesMax: number): boolean {
  if (raw.complete) return false
  if (raw.readableDidRead || raw.headers['transfer-encoding'] !== undefined) return true
  return Number(raw.headers['content-length'] ?? 0) > bytesMax
}

/**
 * Reads on for a moment and throws away what comes. To close while the caller is still writing would reset the
 * connection, and the caller might lose the reply that was on it.
 */
export async function linger(raw: IncomingMessage): Promise<void> {
  raw.resume()
  // However the request ends, the reply has been given.
  await finished(raw, { signal: AbortSignal.timeout(LINGER_MS) }).catch(() => undefined)
}

const LINGER_MS = 2_000
