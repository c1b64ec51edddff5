import { ADDRESS_BLOCKED, type Verdict } from '../domain/push/verdict.ts'
import { unreachable } from '../domain/unreachable.ts'
import type { ProviderAnswer } from './transport.ts'

/** What it means when a provider gave no answer: the same for all of them. */
export function unansweredVerdict(answer: Unanswered): Verdict {
  switch (answer.kind) {
    case 'unsent':
      return { kind: 'retry', reason: answer.reason, waitMs: 0, scope: 'host' }
    case 'lost':
      return { kind: 'unknown', reason: answer.reason }
    case 'blocked':
      return { kind: 'refused', reason: ADDRESS_BLOCKED }
    default:
      return unreachable(answer)
  }
}

type Answered = Extract<ProviderAnswer, { readonly kind: 'answered' }>
type Unanswered = Exclude<ProviderAnswer, Answered>
