import type { AskDeps } from '../../src/intake/event-files/ask-files.ts'
import { measureQuestions } from './analytic-questions-measures.ts'
import { walkQuestions } from './analytic-questions-walks.ts'
import { ANALYTICS } from './analytics-seed.ts'
import type { AnswerRow } from './same-answer.ts'

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

export function analyticQuestions(time: AskedTime): readonly AnalyticQuestion[] {
  return [...measureQuestions(time), ...walkQuestions(time)]
}

/** The time of all weeks of `seedAnalytics`. */
export function seededTime(now: number): AskedTime {
  return { fromAt: now - (ANALYTICS.weeks + 4) * WEEK_MS, toAt: now }
}

const WEEK_MS = 7 * 86_400_000
