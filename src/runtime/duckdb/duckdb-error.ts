import { type DuckDbTrouble, EXIT_MEMORY } from './messages.ts'

/** `late`: the time of the statement was over. `interrupted` is then left for a caller who is gone. `ended`: the process is gone. */
type Trouble = DuckDbTrouble | 'late' | 'ended'

/** A statement has no answer, and why. Only `refused` and `failed` are a mistake in the statement or in a file. */
export class DuckDbError extends Error {
  readonly trouble: Trouble

  constructor(trouble: Trouble, message: string) {
    super(message)
    this.trouble = trouble
  }
}

/** Whether the time of a statement was over. */
export function isLate(cause: unknown): boolean {
  return cause instanceof DuckDbError && cause.trouble === 'late'
}

/** Whether a statement took too long, or too much memory. */
export function isTooLarge(cause: unknown): boolean {
  return isLate(cause) || (cause instanceof DuckDbError && cause.trouble === 'memory')
}

/** Whether the same statement may have an answer later: its process ended or did not start, or a file could not be read. */
export function isPassing(cause: unknown): boolean {
  if (!(cause instanceof DuckDbError)) return false
  return cause.trouble === 'ended' || (cause.trouble === 'failed' && UNREAD.test(cause.message))
}

/** DuckDB tells by the first words of the message. No value of an event is in them. */
const UNREAD = /^(?:IO Error:|Invalid Input Error: (?:No magic bytes|File '))/

/** Whether a mistake of DuckDB's own made its database useless. */
export function isFatal(cause: unknown): boolean {
  return cause instanceof DuckDbError && /^(?:INTERNAL|FATAL) Error/.test(cause.message)
}

/** The failure of a statement whose process ended. */
export function endOf(code: number | null, signal: string | null): DuckDbError {
  // V8 aborts when the texts of an answer do not fit into its heap; a container reports the signal as a code.
  if (code === EXIT_MEMORY || signal === 'SIGABRT' || code === ABORTED)
    return new DuckDbError('memory', 'the process grew beyond its memory')
  return new DuckDbError('ended', `the process ended (${signal ?? `code ${code}`})`)
}

const ABORTED = 134
