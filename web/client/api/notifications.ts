// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type Notification = {
  /** Beckon’s id of the notification, used in addresses. */
  readonly id: string
  /** The caller’s own id. */
  readonly notification_id: (number | bigint) | null
  readonly platform: 'android' | 'ios' | 'web'
  readonly mode: 'send' | 'all' | 'segment'
  readonly segment_id: (number | bigint) | null
  readonly tag: string | null
  readonly topic: string | null
  /** The template that its content came from. */
  readonly template_id: (number | bigint) | null
  readonly template_version: number | null
  readonly title: string
  readonly message: string
  readonly url: string | null
  readonly state: 'scheduled' | 'queued' | 'sending' | 'sent' | 'cancelled' | 'failed'
  /** Why it failed, or why it waits: a paused or failing channel, or a hold of the operator. */
  readonly reason: string | null
  /** What to do about it. */
  readonly advice: string | null
  readonly created_at: string
  readonly send_at: string
  readonly expires_at: string
  readonly finished_at: string | null
  /** The number of subscriptions that it addresses; null until they are chosen. */
  readonly audience: number | null
  /** Deliveries that the provider accepted. */
  readonly accepted: number
  readonly failed: number
  readonly expired: number
  readonly cancelled: number
  /** Deliveries without a final state. All counts add up to `audience`. */
  readonly pending: number
  /** Texts that became too long for a person and were cut. */
  readonly texts_cut: number
  /** Deliveries with the receipt received. */
  readonly received: number
  /** Deliveries with the receipt clicked. */
  readonly clicked: number
  /** Deliveries with the receipt dismissed. */
  readonly dismissed: number
  /** Deliveries with the receipt button. */
  readonly button: number
  /** accepted divided by audience, between 0 and 1; null when the audience is empty or unknown. */
  readonly acceptance_rate: number | null
  /** clicked divided by accepted; null when nothing was accepted. */
  readonly click_rate: number | null
  /** Where it came from. */
  readonly source: Source
}

export type Source = {
  readonly kind: 'endpoint' | 'campaign' | 'journey'
  /** The path of the push endpoint. */
  readonly endpoint?: string
  readonly campaign_id?: number | bigint
  /** Whether it is a test send of the campaign. */
  readonly is_test?: boolean
  readonly journey_id?: number | bigint
  readonly step?: string | null
}

export type NotificationsApi = {
  /** List notifications */
  readonly 'GET /api/v1/notifications': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      readonly state?: 'scheduled' | 'queued' | 'sending' | 'sent' | 'cancelled' | 'failed'
      readonly platform?: 'android' | 'ios' | 'web'
      /** Only notifications from here: one or more of endpoint, campaign, journey, with commas between them. */
      readonly source?: string
      /** Only sends to one subscriber, to all, or to a part of them. */
      readonly mode?: 'send' | 'all' | 'segment'
      /** Only notifications to this segment. */
      readonly segment_id?: string
      /** Only notifications of this campaign. */
      readonly campaign_id?: string
      /** Only notifications of this journey. */
      readonly journey_id?: string
      /** A part of the title or the message, in any letter case. The 20000 newest notifications that fit the other filters are searched; give to, and earlier ones are. */
      readonly text?: string
      /** Leaves journey sends out of the list, and adds one line for each of their steps and days: of the range from and to, 31 days at most, or of the last 7 days. */
      readonly fold?: 'journeys'
      /** Accepted at or after this instant, as ISO 8601. */
      readonly from?: string
      /** Accepted before this instant, as ISO 8601. */
      readonly to?: string
    }
    readonly reply: Success & {
      readonly notifications: readonly Notification[]
      /** With fold=journeys, on the first page. */
      readonly journey_sends?: readonly {
        readonly journey_id: number | bigint
        readonly step: string | null
        /** A day in UTC. */
        readonly day: string
        /** How many notifications the line stands for. */
        readonly notifications: number
        readonly audience: number
        readonly accepted: number
        readonly failed: number
        readonly expired: number
        readonly cancelled: number
        readonly pending: number
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Read a notification with its present counts */
  readonly 'GET /api/v1/notifications/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
  /** List the deliveries of a notification */
  readonly 'GET /api/v1/notifications/{id}/deliveries': {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      readonly state?: 'retrying' | 'accepted' | 'failed' | 'expired' | 'cancelled'
      /** Only deliveries with this reason. */
      readonly reason?: string
      /** Only deliveries of which the device reported this. */
      readonly receipt?: 'received' | 'clicked' | 'dismissed' | 'button'
      /** Reported at or after this instant, as ISO 8601. It goes with receipt. */
      readonly from?: string
      /** Reported before this instant, as ISO 8601. It goes with receipt. */
      readonly to?: string
    }
    readonly reply: Success & {
      readonly deliveries: readonly {
        readonly subscription_id: string | null
        /** The person who uses the device now; null if nobody is known to. */
        readonly user_id: string | null
        readonly state: 'retrying' | 'accepted' | 'failed' | 'expired' | 'cancelled'
        readonly reason: string | null
        readonly attempt: number
        readonly at: string
        /** The language of the message, or default for the content without a language; null when the notification is in one language only, or nothing was sent. */
        readonly language: string | null
        /** When the device reported the receipt of the query; null without one. */
        readonly reported_at: string | null
      }[]
      readonly next_cursor: string | null
    }
  }
  /** Count why messages of a notification did not arrive */
  readonly 'GET /api/v1/notifications/{id}/reasons': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly reasons: readonly {
        readonly state: 'retrying' | 'accepted' | 'failed' | 'expired' | 'cancelled'
        readonly reason: string | null
        readonly devices: number
      }[]
      /** False when only the first 100000 deliveries without success were counted. */
      readonly is_complete: boolean
    }
  }
  /** Cancel a notification */
  readonly 'POST /api/v1/notifications/{id}/cancel': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly notification: Notification
    }
  }
}
