/**
 * The life of a notification (decisions §3), each state with the states it may move to:
 * scheduled (waits for its time) → queued (due, waits for a worker) → sending (some of it is handed over) → sent
 * (nothing is pending). A caller may cancel until it is sent; it fails when the channel cannot send at all.
 * A state that leads nowhere is final.
 */
export const NOTIFICATION_STATES = {
  scheduled: ['queued', 'cancelled'],
  queued: ['sending', 'cancelled', 'failed'],
  sending: ['sent', 'cancelled', 'failed'],
  sent: [],
  cancelled: [],
  failed: [],
} as const satisfies Record<string, readonly string[]>

export type NotificationState = keyof typeof NOTIFICATION_STATES

export const NOTIFICATION_STATE_NAMES = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'cancelled',
  'failed',
] as const satisfies readonly NotificationState[]
