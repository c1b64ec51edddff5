import { RETRY_RULES } from '../../rules/push.ts'
import { unreachable } from '../unreachable.ts'
import type { Verdict } from './verdict.ts'

/** What a verdict means for a delivery. */
export type Settlement =
  /** It is over. */
  | {
      readonly kind: 'final'
      readonly state: 'accepted' | 'failed' | 'expired'
      readonly reason: string | null
    }
  /** It is tried again, with its next attempt, at this instant. */
  | { readonly kind: 'again'; readonly at: number; readonly reason: string }
  /** Nothing happened to it: it stays where it was, and no attempt is spent. */
  | { readonly kind: 'untouched'; readonly reason: string }

/** One try. `attempt` counts from 1, `jitter` is in [0, 1), and from `expiresAt` on nothing is handed over. */
export type Try = {
  readonly attempt: number
  readonly now: number
  readonly jitter: number
  readonly expiresAt: number
}

/**
 * A message that left without an answer is sent again: losing one is worse than a repeat, and a repeat carries the
 * same collapse id, so that it replaces the first on the device.
 */
export function settle(verdict: Verdict, attempted: Try): Settlement {
  switch (verdict.kind) {
    case 'accepted':
      return { kind: 'final', state: 'accepted', reason: null }
    case 'gone':
    case 'refused':
      return { kind: 'final', state: 'failed', reason: verdict.reason }
    case 'retry':
      return tryAgain(verdict, attempted)
    case 'unknown':
      return tryAgain({ reason: verdict.reason, waitMs: 0 }, attempted)
    case 'paused':
      return { kind: 'untouched', reason: verdict.reason }
    default:
      return unreachable(verdict)
  }
}

type Delay = { readonly reason: string; readonly waitMs: number }

/** The jitter comes on top of what the provider asked for, so that its wish is never undercut, nor met by all at once. */
function tryAgain({ reason, waitMs }: Delay, { attempt, now, jitter, expiresAt }: Try): Settlement {
  if (attempt >= RETRY_RULES.attemptsMax) return { kind: 'final', state: 'failed', reason }
  const at = Math.ceil(now + Math.max(0, waitMs) + jitter * longestWaitMs(attempt))
  return at < expiresAt ? { kind: 'again', at, reason } : { kind: 'final', state: 'expired', reason }
}

function longestWaitMs(attempt: number): number {
  return Math.min(RETRY_RULES.waitMsMax, RETRY_RULES.firstWaitMs * 2 ** (attempt - 1))
}
