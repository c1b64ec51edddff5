import { ADDRESS_BLOCKED, type RetryScope, type Verdict } from '../domain/push/verdict.ts'
import { unreachable } from '../domain/unreachable.ts'
import type { ProviderAnswer } from './transport.ts'

/** The verdict on one of a provider's answers, before the particulars of the answer are added. */
export type VerdictRow =
  | { readonly kind: 'gone'; readonly isSuspect: boolean }
  | { readonly kind: 'refused' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'retry'; readonly scope: RetryScope; readonly waitMs: number }

/** The rows of every provider's table. */
export const VERDICT_ROWS = {
  dead: { kind: 'gone', isSuspect: false },
  /** A wrong setting of ours gives this answer for every device, so the brake counts it. */
  deadOrOurMistake: { kind: 'gone', isSuspect: true },
  badMessage: { kind: 'refused' },
  badCredential: { kind: 'paused' },
  busyAddress: { kind: 'retry', scope: 'address', waitMs: 0 },
  busyHost: { kind: 'retry', scope: 'host', waitMs: 0 },
} as const satisfies Record<string, VerdictRow>

type Particulars = {
  readonly reason: string
  readonly goneAt?: number | null
  /** The wait that the answer's `Retry-After` asked for. A row may ask for more. */
  readonly waitMs: number
}

export function verdictOf(row: VerdictRow, { reason, goneAt = null, waitMs }: Particulars): Verdict {
  switch (row.kind) {
    case 'gone':
      return { ...row, reason, goneAt }
    case 'retry':
      return { ...row, reason, waitMs: Math.max(row.waitMs, waitMs) }
    case 'refused':
    case 'paused':
      return { kind: row.kind, reason }
    default:
      return unreachable(row)
  }
}

/** The verdict when a provider gave no answer: the same for all of them. */
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

type Unanswered = Exclude<ProviderAnswer, { readonly kind: 'answered' }>
