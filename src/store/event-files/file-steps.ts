import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'

export type FileRows = readonly (readonly DuckDbCell[])[]

/** One statement of a question. */
export type FileStep = {
  readonly sql: string
  /** The part of the question's work that the statement is, from 0 to 1, to tell how far the question is. */
  readonly work: { readonly from: number; readonly to: number }
}

/**
 * The statements of a question for DuckDB, one after another, because a statement may depend on the rows of those before it. The
 * returned rows are the answer.
 */
export type FileSteps = Generator<FileStep, FileRows, FileRows>

/** A question of one statement; null without a statement. */
export function oneStep(sql: string | null): FileSteps | null {
  return sql === null ? null : stepOf(sql)
}

function* stepOf(sql: string): FileSteps {
  return yield { sql, work: { from: 0, to: 1 } }
}
