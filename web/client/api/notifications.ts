// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type Notification = {
  /** Ours; every other address about it takes it. */
  readonly id: string
  /** The caller’s own id. */
  readonly notification_id: (number | bigint) | null
  readonly platform: 'android' | 'ios' | 'web'
  readonly mode: 'send' | 'all' | 'segment'
  readonly segment_id: (number | bigint) | null
  readonly tag: string | null
  readonly title: string
  readonly message: string
  readonly url: string | null
  readonly state: 'scheduled' | 'queued' | 'sending' | 'sent' | 'cancelled' | 'failed'
  readonly reason: string | null
  readonly created_at: string
  readonly send_at: string
  readonly expires_at: string
  readonly finished_at: string | null
  /** How many subscriptions it addresses; null while that is still to be decided. */
  readonly audience: number | null
  /** Handed over, and accepted by the provider. */
  readonly accepted: number
  readonly failed: number
  readonly expired: number
  readonly cancelled: number
  /** The audience less all of the above, at every moment. */
  readonly pending: number
  /** Texts that grew too long for a person and were cut. */
  readonly texts_cut: number
}

export type NotificationsApi = {
  /** Lists notifications, newest first */
  readonly 'GET /api/v1/notifications': {
    readonly query?: {
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
      readonly limit?: number
      readonly state?: 'scheduled' | 'queued' | 'sending' | 'sent' | 'cancelled' | 'failed'
      readonly platform?: 'android' | 'ios' | 'web'
      /** Accepted at or after this instant, as ISO 8601. */
      readonly from?: string
      /** Accepted before this instant, as ISO 8601. */
      readonly to?: string
    }
    readonly reply: Success & {
      readonly notifications: readonly Notification[]
      readonly next_cursor: string | null
    }
  }
  /** Reads one notification with its counts as they are now */
  readonly 'GET /api/v1/notifications/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
  /** Lists what became of each recipient that was tried */
  readonly 'GET /api/v1/notifications/{id}/deliveries': {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
      readonly limit?: number
      readonly state?: 'retrying' | 'accepted' | 'failed' | 'expired' | 'cancelled'
    }
    readonly reply: Success & {
      readonly deliveries: readonly {
        readonly subscription_id: string | null
        readonly state: 'retrying' | 'accepted' | 'failed' | 'expired' | 'cancelled'
        readonly reason: string | null
        readonly attempt: number
        readonly at: string
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Cancels what is not handed over yet */
  readonly 'POST /api/v1/notifications/{id}/cancel': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
}
