import type { RetryScope, Verdict } from '../domain/push/verdict.ts'
import { unreachable } from '../domain/unreachable.ts'

/** What one of a provider's answers means to us, before the particulars of the answer are added. */
export type Meaning =
  | { readonly kind: 'gone'; readonly isSuspect: boolean }
  | { readonly kind: 'refused' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'retry'; readonly scope: RetryScope; readonly waitMs: number }

/** The rows of every provider's table. */
export const MEANS = {
  dead: { kind: 'gone', isSuspect: false },
  /** A wrong setting of ours gives this answer for every device, so the brake counts it. */
  deadOrOurMistake: { kind: 'gone', isSuspect: true },
  badMessage: { kind: 'refused' },
  badCredential: { kind: 'paused' },
  busyAddress: { kind: 'retry', scope: 'address', waitMs: 0 },
  busyHost: { kind: 'retry', scope: 'host', waitMs: 0 },
} as const satisfies Record<string, Meaning>

export type Particulars = {
  readonly reason: string
  readonly goneAt?: number | null
  /** What the answer's `Retry-After` asked for. A meaning may ask for more. */
  readonly waitMs: number
}

export function verdictOf(meaning: Meaning, { reason, goneAt = null, waitMs }: Particulars): Verdict {
  switch (meaning.kind) {
    case 'gone':
      return { ...meaning, reason, goneAt }
    case 'retry':
      return { ...meaning, reason, waitMs: Math.max(meaning.waitMs, waitMs) }
    case 'refused':
    case 'paused':
      return { kind: meaning.kind, reason }
    default:
      return unreachable(meaning)
  }
}
