import { errorCode } from '../runtime/errors.ts'
import { isUnavailable } from './unavailable.ts'

export type TransactionAttempt = 'first' | 'later'

/** A profile was erased or merged between the lookup and the write. A later attempt looks it up again. */
export class ProfileGone extends Error {
  readonly code = PROFILE_GONE
}

const PROFILE_GONE = 'PROFILE_GONE'

/**
 * Runs work that stores events or profiles, and runs it again when it failed for a reason that a later attempt may not
 * meet. The work must be a whole transaction, so that nothing of a failed attempt is left. That is why the error is
 * caught here and not deeper inside.
 */
export async function retryTransaction<Value>(
  work: (attempt: TransactionAttempt) => Promise<Value>,
): Promise<Value> {
  let attempt: TransactionAttempt = 'first'
  for (let count = 1; ; count += 1) {
    try {
      return await work(attempt)
    } catch (cause) {
      if (count === ATTEMPTS_MAX || !RETRYABLE.test(errorCode(cause) ?? '')) throw cause
      attempt = 'later'
    }
  }
}

const ATTEMPTS_MAX = 5

/**
 * 23514: the week of an event got a partition while the event was on its way to the default one. 40P01: a deadlock.
 * 22…: a number that the database cannot store, such as 1e-20000; it occurs only in a body that is passed on byte for
 * byte, and a later attempt writes the values itself.
 */
const RETRYABLE = new RegExp(`^(?:${PROFILE_GONE}|23514|40P01|22...)$`)

/**
 * Whether an error means that the server refused the work and rolled it back. After a broken connection the commit may
 * have happened, and the same work could be done twice.
 */
export function isRolledBack(cause: unknown): boolean {
  const code = errorCode(cause)
  return code !== null && SQLSTATE.test(code) && !isUnavailable(cause)
}

const SQLSTATE = /^[0-9A-Z]{5}$/
