import type { AuthToken } from './token-cache.ts'
import type { SharedHeaders } from './transport.ts'

/**
 * Headers that many messages share, with the token that goes with them. A token gets the same object each time, so that a
 * connection writes its bytes once and then repeats them.
 */
export function authorizedHeaders(
  headers: SharedHeaders,
  scheme: 'bearer ' | 'Bearer ' | '',
): (token: Pick<AuthToken, 'value'>) => SharedHeaders {
  const known = new Map<string, SharedHeaders>()
  return ({ value }) => {
    const made = known.get(value)
    if (made !== undefined) return made
    if (known.size >= TOKENS_MAX) known.clear()
    const authorized = { ...headers, authorization: `${scheme}${value}` }
    known.set(value, authorized)
    return authorized
  }
}

/** One token for each push service; a broadcast to browsers has a few of them. */
const TOKENS_MAX = 100
