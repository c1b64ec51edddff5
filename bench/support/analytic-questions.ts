import type { AnalyticQuestion, AskedTime } from './analytic-question.ts'
import { measureQuestions } from './analytic-questions-measures.ts'
import { walkQuestions } from './analytic-questions-walks.ts'
import { ANALYTICS } from './analytics-seed.ts'

export function analyticQuestions(time: AskedTime): readonly AnalyticQuestion[] {
  return [...measureQuestions(time), ...walkQuestions(time)]
}

/** The time of all weeks of `seedAnalytics`. */
export function seededTime(now: number): AskedTime {
  return { fromAt: now - (ANALYTICS.weeks + 4) * WEEK_MS, toAt: now }
}

const WEEK_MS = 7 * 86_400_000
