import { errorCode } from '../runtime/errors.ts'
import type { DatabaseTrouble } from '../runtime/outage.ts'

/**
 * Whether an error means that the database cannot be used right now, and not that the statement is wrong: the server
 * is away, starting, stopping or full, or the pool had no connection in time.
 */
export function isUnavailable(cause: unknown): boolean {
  const code = errorCode(cause)
  if (code !== null) return isAwayCode(code, cause) || CODES.has(code) || CODE_CLASSES.has(code.slice(0, 2))
  return cause instanceof Error && MESSAGES.some((message) => cause.message.includes(message))
}

/** Whether the server itself is away, starting or stopping, and not only busy. */
export function isAway(cause: unknown): boolean {
  const code = errorCode(cause)
  if (code !== null) return isAwayCode(code, cause)
  return cause instanceof Error && AWAY_MESSAGES.some((message) => cause.message.includes(message))
}

function isAwayCode(code: string, cause: unknown): boolean {
  return AWAY_CODES.has(code) || code.startsWith(AWAY_CLASS) || (code === 'ENOENT' && isOfSocket(cause))
}

/** The socket file of the database is missing. Any other missing file has nothing to do with the database. */
function isOfSocket(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect'
}

/** Why an error, or the one that caused it, says that the database cannot be used; null if neither says so. */
export function troubleOf(cause: unknown): DatabaseTrouble | null {
  return ownTrouble(cause) ?? (cause instanceof Error ? ownTrouble(cause.cause) : null)
}

function ownTrouble(cause: unknown): DatabaseTrouble | null {
  if (isAway(cause)) return 'away'
  if (errorCode(cause) === DISK_FULL) return 'full'
  return isUnavailable(cause) ? 'busy' : null
}

const DISK_FULL = '53100'

/** Whether a call got no connection of its pool in time: its connections are at work, or their machine is silent. */
export function isPoolFull(cause: unknown): boolean {
  return cause instanceof Error && cause.message.includes(POOL_FULL)
}

/** Whether nobody knows if the work was done: the answer to its commit was lost, and no server could tell. */
export function isOutcomeUnknown(cause: unknown): boolean {
  return errorCode(cause) === COMMIT_UNKNOWN
}

export const COMMIT_UNKNOWN = 'COMMIT_UNKNOWN'

/** Whether a statement was cancelled because it took too long. */
export function isTimedOut(cause: unknown): boolean {
  return errorCode(cause) === TIMED_OUT
}

const TIMED_OUT = '57014' // query_canceled

const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'COMMIT_UNDONE', // the connection broke before the commit, again and again
  COMMIT_UNKNOWN,
  'NO_PRIMARY', // no server of the list takes writes
  '25006', // read_only_sql_transaction: the server became a standby
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
])

const CODES = new Set([
  '25P03', // idle_in_transaction_session_timeout: this process was too slow
  '55P03', // lock_not_available
  TIMED_OUT,
])

const AWAY_CLASS = '08' // connection exceptions

/** Connection exceptions, and insufficient resources. */
const CODE_CLASSES = new Set([AWAY_CLASS, '53'])

/** Messages of errors to which `pg` gives no code. */
const AWAY_MESSAGES = ['Connection terminated', 'is not queryable', 'timeout expired']
const POOL_FULL = 'timeout exceeded when trying to connect'
const MESSAGES = [...AWAY_MESSAGES, POOL_FULL]
