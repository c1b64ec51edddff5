import { systemSleep } from '../runtime/clock.ts'
import { errorCode } from '../runtime/errors.ts'
import { backoffMs } from '../runtime/loop/backoff.ts'
import { COMMIT_UNDONE } from './connection/commit-marks.ts'
import { isUnavailable } from './unavailable.ts'

export type TransactionAttempt = 'first' | 'later'

/** A profile was erased or merged between the lookup and the write. A later attempt looks it up again. */
export class ProfileGone extends Error {
  readonly code = PROFILE_GONE
}

const PROFILE_GONE = 'PROFILE_GONE'

/**
 * Runs a transaction, and runs it again when others were in its way: a deadlock, a serialization failure, or a profile
 * that was erased or merged meanwhile. Nothing of a failed attempt is left, because the transaction was rolled back.
 * Every transaction of a request and of a worker comes through here. The waits between attempts differ by chance, so
 * that two transactions do not meet again.
 */
export async function retryContended<Value>(transaction: () => Promise<Value>): Promise<Value> {
  return retryWhen(CONTENDED, transaction)
}

/** Runs one statement, and runs it again when the server refused it because it takes no writes any more. */
export async function retryRefused<Value>(statement: () => Promise<Value>): Promise<Value> {
  return retryWhen(REFUSED, statement)
}

async function retryWhen<Value>(codes: ReadonlySet<string>, attempt: () => Promise<Value>): Promise<Value> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt()
    } catch (cause) {
      if (count === ATTEMPTS_MAX || !codes.has(errorCode(cause) ?? '')) throw cause
      await systemSleep(Math.random() * backoffMs(WAIT, count, 0.5), NEVER)
    }
  }
}

const ATTEMPTS_MAX = 6
const WAIT = { minMs: 20, maxMs: 500 } as const
const NEVER = new AbortController().signal

/** 25006: the server became a standby and refused to write; the next attempt finds the server that takes writes. */
const REFUSED: ReadonlySet<string> = new Set(['25006'])

/** COMMIT_UNDONE: the answer to the commit was lost, and the commit is known not to have happened. 40P01: a deadlock. 40001: a serialization failure. */
const CONTENDED: ReadonlySet<string> = new Set([PROFILE_GONE, '40P01', '40001', COMMIT_UNDONE, ...REFUSED])

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

/**
 * 23514: the week of an event got a partition while the event was on its way to the default one. 22…: a number that the database cannot store, such as 1e-20000; it occurs only in a body that is passed on byte for
 * byte, and a later attempt writes the values itself.
 */
const RETRYABLE = /^(?:23514|22...)$/

/**
 * Whether an error means that the server refused the work and rolled it back. After a broken connection the commit may
 * have happened, and the same work could be done twice.
 */
export function isRolledBack(cause: unknown): boolean {
  const code = errorCode(cause)
  return code !== null && SQLSTATE.test(code) && !isUnavailable(cause)
}

const SQLSTATE = /^[0-9A-Z]{5}$/
