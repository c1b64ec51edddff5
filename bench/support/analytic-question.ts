import type { AskDeps } from '../../src/intake/event-files/ask-files.ts'
import type { AnswerRow } from './same-answer.ts'

/** A question of `bench -- analytics`, to Beckon and to a plain DuckDB. */
export type AnalyticQuestion = {
  readonly name: string
  /** The common questions are those with a bar beside PostgreSQL too; the others have the bar of DuckDB alone only. */
  readonly isCommon: boolean
  /** Our answer, in the rows that `sql` has. */
  readonly ask: (deps: AskDeps, caller: Caller) => Promise<readonly AnswerRow[]>
  /** The same question as somebody writes it who knows DuckDB and nothing of Beckon (`PlainDuckDb`). */
  readonly sql: string
}

type Caller = { readonly brandId: number; readonly signal: AbortSignal }

/** The time that the questions ask about. */
export type AskedTime = { readonly fromAt: number; readonly toAt: number }
