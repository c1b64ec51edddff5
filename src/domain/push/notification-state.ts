import { NOTIFICATION_STATES, type NotificationState } from '../../rules/push.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'

/** Whether a notification may still be cancelled. Doing it twice is not a mistake: the wish is already fulfilled. */
export function planCancel(state: NotificationState): Result<'cancelled'> {
  const next: readonly NotificationState[] = NOTIFICATION_STATES[state]
  if (state === 'cancelled' || next.includes('cancelled')) return accept('cancelled')
  return reject(fault('notification_final', null, { state }))
}
