import { errorCode } from '../runtime/error-code.ts'
import { isUnavailable } from './unavailable.ts'

/**
 * Whether an error says that the server refused the work and undid it. When the connection broke instead, the commit
 * may have happened, and doing the same work again could do it twice.
 */
export function isRolledBack(cause: unknown): boolean {
  const code = errorCode(cause)
  return code !== null && SQLSTATE.test(code) && !isUnavailable(cause)
}

const SQLSTATE = /^[0-9A-Z]{5}$/
