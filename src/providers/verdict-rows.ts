import { ADDRESS_BLOCKED, type RetryScope, type Verdict } from '../domain/push/verdict.ts'
import { unreachable } from '../domain/unreachable.ts'
import type { ProviderAnswer } from './transport.ts'

/** The verdict on one of a provider's answers, before the particulars of the answer are added. */
export type VerdictRow =
  | { readonly kind: 'gone'; readonly isSuspect: boolean }
  | { readonly kind: 'refused' }
  | { readonly kind: 'paused' }
  /** `waitMs` is for a provider that does not say itself how long to wait. */
  | { readonly kind: 'retry'; readonly scope: RetryScope; readonly waitMs: number }

/** The rows of every provider's table. */
export const VERDICT_ROWS = {
  dead: { kind: 'gone', isSuspect: false },
  /** A wrong setting of ours gives this answer for every device, so the brake counts it. */
  deadOrOurMistake: { kind: 'gone', isSuspect: true },
  badMessage: { kind: 'refused' },
  badCredential: { kind: 'paused' },
  /** Another server than the provider answers, or not at its address: no message can get through. */
  wrongAddress: { kind: 'paused' },
  busyAddress: { kind: 'retry', scope: 'address', waitMs: 0 },
  busyHost: { kind: 'retry', scope: 'host', waitMs: 0 },
} as const satisfies Record<string, VerdictRow>

/** A provider's rows for an answer that names no known reason. */
type StatusRows = {
  /** The statuses that this provider gives a meaning of its own. */
  readonly own: ReadonlyMap<number, VerdictRow>
  /** The row for a provider that cannot take the message now. */
  readonly busy: VerdictRow
}

/**
 * The row for a status alone. Only a status that is about the message ends the message: a redirect or a method that is not
 * allowed is about the address, and a status such as 408 or 503 is about the moment.
 */
export function rowOfStatus(status: number, { own, busy }: StatusRows): VerdictRow {
  const row = own.get(status)
  if (row !== undefined) return row
  if (status < 400 || CHANNEL_STATUSES.has(status)) return VERDICT_ROWS.wrongAddress
  return status >= 500 || BUSY_STATUSES.has(status) ? busy : VERDICT_ROWS.badMessage
}

/** Unauthorized, payment, forbidden, method, proxy authentication, upgrade, and legal reasons: true for every message. */
const CHANNEL_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 405, 407, 426, 451])
/** Timeout, conflict, misdirected, locked, failed dependency, too early, too many, and a request that a proxy gave up. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([408, 409, 421, 423, 424, 425, 429, 499])

type Particulars = {
  readonly reason: string
  readonly goneAt?: number | null
  /** The wait that the answer's `Retry-After` asked for; null: the wait of the row. */
  readonly waitMs: number | null
}

export function verdictOf(row: VerdictRow, { reason, goneAt = null, waitMs }: Particulars): Verdict {
  switch (row.kind) {
    case 'gone':
      return { ...row, reason, goneAt }
    case 'retry':
      return { ...row, reason, waitMs: waitMs ?? row.waitMs }
    case 'refused':
    case 'paused':
      return { kind: row.kind, reason }
    default:
      return unreachable(row)
  }
}

/** FCM and APNs accept with 200 only. Another success is not theirs, and does not tell whether they have the message. */
export function strangeSuccess({ status }: { readonly status: number }): Verdict {
  return { kind: 'unknown', reason: `http_${status}` }
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
