import { STATEMENT_TIMEOUT_MS } from '../../store/session-settings.ts'

/** A question that took too long as a whole. Its caller is told what a long statement tells. */
export class QuestionTooLong extends Error {
  readonly code = '57014'
}

type Limit = {
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal
  readonly limitMs?: number
}

/**
 * Gives up a question that takes longer than the limit it is told to have. Each of its parts has a limit of its own: copies of rows, the
 * fetching of files, the statement of DuckDB, and rows where files cannot answer. Together they could take minutes.
 */
export async function withinLimit<Value>(
  { signal, limitMs = LIMIT_MS }: Limit,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = new AbortController()
  const timer = setTimeout(
    () => limit.abort(new QuestionTooLong(`a question took longer than ${limitMs} ms`)),
    limitMs,
  )
  try {
    return await work(AbortSignal.any([signal, limit.signal]))
  } finally {
    clearTimeout(timer)
  }
}

/** A second more than one statement has, so that a question of one statement is ended by the server, which keeps the connection. */
const LIMIT_MS = STATEMENT_TIMEOUT_MS + 1_000
