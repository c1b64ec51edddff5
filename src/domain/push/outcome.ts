import { RETRY_RULES } from '../../rules/push.ts'
import { unreachable } from '../unreachable.ts'
import type { Verdict } from './verdict.ts'

/** The outcome of one delivery after an attempt. */
type DeliveryOutcome =
  /** The delivery is over. */
  | {
      readonly state: 'accepted' | 'failed' | 'expired'
      readonly reason: string | null
      readonly retryAt: null
    }
  /** The delivery gets its next attempt at this instant. */
  | { readonly state: 'retrying'; readonly reason: string; readonly retryAt: number }

/** One attempt. `attempt` counts from 1, `jitter` is in [0, 1), and from `expiresAt` on nothing is handed over. */
export type DeliveryAttempt = {
  readonly attempt: number
  readonly now: number
  readonly jitter: number
  readonly expiresAt: number
}

/**
 * The outcome that a verdict leads to. Null when nothing happened to the delivery: it stays as it was, and no attempt
 * is spent. A message that left without an answer is sent again: a loss is worse than a repeat, and a repeat carries
 * the same collapse id, so that it replaces the first on the device.
 */
export function outcomeOf(verdict: Verdict, attempted: DeliveryAttempt): DeliveryOutcome | null {
  switch (verdict.kind) {
    case 'accepted':
      return { state: 'accepted', reason: null, retryAt: null }
    case 'gone':
    case 'refused':
      return { state: 'failed', reason: verdict.reason, retryAt: null }
    case 'retry':
      return tryAgain(verdict, attempted)
    case 'unknown':
      return tryAgain({ reason: verdict.reason, waitMs: 0 }, attempted)
    case 'paused':
      return null
    default:
      return unreachable(verdict)
  }
}

type Delay = { readonly reason: string; readonly waitMs: number }

/** The jitter is added to the provider's wait, so that no retry comes too soon and not all come at once. */
function tryAgain(delay: Delay, { attempt, now, jitter, expiresAt }: DeliveryAttempt): DeliveryOutcome {
  const { reason, waitMs } = delay
  if (attempt >= RETRY_RULES.attemptsMax) return { state: 'failed', reason, retryAt: null }
  const retryAt = Math.ceil(now + Math.max(0, waitMs) + jitter * longestWaitMs(attempt))
  if (retryAt >= expiresAt) return { state: 'expired', reason, retryAt: null }
  return { state: 'retrying', reason, retryAt }
}

function longestWaitMs(attempt: number): number {
  return Math.min(RETRY_RULES.waitMsMax, RETRY_RULES.firstWaitMs * 2 ** (attempt - 1))
}
