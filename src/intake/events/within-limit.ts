import { LineTime } from '../../runtime/duckdb/line-time.ts'
import { QueueFull } from '../../runtime/limits/limiter.ts'
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

/** The two sides of a question's limit, for the work that answers it: when it ends, and how long others kept it waiting. */
export type Limited = {
  /** Aborts when the caller hangs up, or the limit is over. */
  readonly signal: AbortSignal
  /** Takes the time that each statement waited in line, because DuckDB was busy with others. */
  readonly onWait?: (ms: number) => void
}

/**
 * Gives up a question that takes longer than the limit it is told to have. Each of its parts has a limit of its own: copies of rows, the
 * fetching of files, the statements of DuckDB, and rows where files cannot answer. Together they could take minutes.
 * A question that has mostly waited for others may come again: they will be gone. Any other would take too long again.
 */
export async function withinLimit<Value>(
  { signal, limitMs = LIMIT_MS }: Limit,
  work: (limited: Limited) => Promise<Value>,
): Promise<Value> {
  const line = new LineTime()
  const limit = new AbortController()
  const timer = setTimeout(
    () => limit.abort(new QuestionTooLong(`a question took longer than ${limitMs} ms`)),
    limitMs,
  )
  try {
    return await work({
      signal: AbortSignal.any([signal, limit.signal]),
      onWait: (ms) => line.add(ms),
    })
  } catch (cause) {
    // The signal says that the time was over; the line says why.
    if (cause === limit.signal.reason && line.isMost)
      throw new QueueFull('DuckDB was busy with others until the time of a question was over', { cause })
    throw cause
  } finally {
    clearTimeout(timer)
  }
}

/** A second more than one statement has, so that a question of one statement is ended by the server, which keeps the connection. */
const LIMIT_MS = STATEMENT_TIMEOUT_MS + 1_000
