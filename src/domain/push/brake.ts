import { BRAKE_RULES } from '../../rules/push.ts'
import type { Verdict } from './verdict.ts'

/** The last answers of one credential, oldest first: true for one that a wrong setting gives for every device. */
export type RecentAnswers = readonly boolean[]

/** Adds verdicts to what is remembered. One without an answer of the provider says nothing about its settings. */
export function recall(recent: RecentAnswers, verdicts: readonly Verdict[]): RecentAnswers {
  const answers = verdicts.filter(({ kind }) => kind !== 'unknown').map(isSuspect)
  return [...recent, ...answers].slice(-BRAKE_RULES.answersKept)
}

/** How many answers are remembered, and how many of them are suspect. */
export type AnswerCounts = { readonly suspects: number; readonly answers: number }

export function countAnswers(recent: RecentAnswers): AnswerCounts {
  return { suspects: recent.filter(Boolean).length, answers: recent.length }
}

/** Whether so many answers, of all workers together, blame the devices that the setting must be at fault. */
export function isBraking({ suspects, answers }: AnswerCounts): boolean {
  return suspects >= BRAKE_RULES.suspectsMin && suspects > answers * BRAKE_RULES.suspectShareMax
}

export function isSuspect(verdict: Verdict): boolean {
  return verdict.kind === 'gone' && verdict.isSuspect
}
