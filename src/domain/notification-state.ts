import { NOTIFICATION_STATES, type NotificationState } from '../rules/notification-states.ts'
import { fault } from './fault.ts'
import { accept, type Result, reject } from './result.ts'

export function canMove(from: NotificationState, to: NotificationState): boolean {
  const next: readonly NotificationState[] = NOTIFICATION_STATES[from]
  return next.includes(to)
}

export function isFinal(state: NotificationState): boolean {
  return NOTIFICATION_STATES[state].length === 0
}

/** Whether a notification may still be cancelled. Doing it twice is not a mistake: the wish is already fulfilled. */
export function planCancel(state: NotificationState): Result<'cancelled'> {
  if (state === 'cancelled' || canMove(state, 'cancelled')) return accept('cancelled')
  return reject(fault('notification_final', null, { state }))
}

/** What came of a notification so far. The parts always add up to the audience (decisions §3). */
export type Counts = {
  readonly audience: number
  readonly accepted: number
  readonly failed: number
  readonly expired: number
  readonly cancelled: number
}

export function pendingOf({ audience, accepted, failed, expired, cancelled }: Counts): number {
  return audience - accepted - failed - expired - cancelled
}
