import { RETRY_RULES, UNKNOWN_REASON } from '../../rules/push.ts'
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
  /** The delivery gets its next attempt at this instant; `unknowns` goes with it. */
  | {
      readonly state: 'retrying'
      readonly reason: string
      readonly retryAt: number
      readonly unknowns: number
    }

/**
 * One attempt. `attempt` counts from 1, `unknowns` the earlier attempts whose outcome nobody knows, `jitter` is in
 * [0, 1), and from `expiresAt` on nothing is handed over.
 */
export type DeliveryAttempt = {
  readonly attempt: number
  readonly unknowns: number
  readonly now: number
  readonly jitter: number
  readonly expiresAt: number
}

/**
 * The outcome that a verdict leads to. Null when nothing happened to the delivery: it stays as it was, and no attempt
 * is spent. A message that left without an answer is sent again, a few times: a loss is worse than a repeat, and a repeat
 * carries the same collapse id, so that it replaces the first on the device.
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
      return afterUnknown(verdict.reason, attempted)
    case 'paused':
      return null
    default:
      return unreachable(verdict)
  }
}

/**
 * The jitter of one of several retries that are settled together, `place` of `count`. They come in groups, so that a
 * thousand of them are a few chunks, and the groups are evenly apart, so that they do not return as a herd.
 */
export function spreadJitter(jitter: number, { place, count }: RetryPlace): number {
  const groups = Math.min(count, RETRY_RULES.groupsMax)
  return (Math.floor((place * groups) / count) + jitter) / groups
}

export type RetryPlace = { readonly place: number; readonly count: number }

function afterUnknown(reason: string, attempted: DeliveryAttempt): DeliveryOutcome {
  const { unknowns } = attempted
  if (unknowns >= RETRY_RULES.unknownRetriesMax)
    return { state: 'failed', reason: UNKNOWN_REASON, retryAt: null }
  return tryAgain({ reason, waitMs: 0 }, { ...attempted, unknowns: unknowns + 1 })
}

type Delay = { readonly reason: string; readonly waitMs: number }

/** The jitter is added to the provider's wait, so that no retry comes too soon and not all come at once. */
function tryAgain({ reason, waitMs }: Delay, attempted: DeliveryAttempt): DeliveryOutcome {
  const { attempt, unknowns, now, jitter, expiresAt } = attempted
  const lastReason = unknowns > 0 ? UNKNOWN_REASON : reason
  if (attempt >= RETRY_RULES.attemptsMax) return { state: 'failed', reason: lastReason, retryAt: null }
  const retryAt = Math.ceil(now + Math.max(0, waitMs) + jitter * longestWaitMs(attempt))
  if (retryAt >= expiresAt) return { state: 'expired', reason: lastReason, retryAt: null }
  return { state: 'retrying', reason, retryAt, unknowns }
}

function longestWaitMs(attempt: number): number {
  return Math.min(RETRY_RULES.waitMsMax, RETRY_RULES.firstWaitMs * 2 ** (attempt - 1))
}
