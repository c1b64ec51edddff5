// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Success } from './envelope.ts'

export type EventType =
  | 'notification.sent'
  | 'delivery.accepted'
  | 'delivery.failed'
  | 'delivery.received'
  | 'delivery.clicked'
  | 'delivery.dismissed'
  | 'subscription.created'
  | 'subscription.gone'
  | 'profile.created'
  | 'profile.merged'
  | 'profile.erased'
  | 'journey.entered'
  | 'journey.goal'
  | 'journey.exited'
  | 'journey.called'

export type Webhook = {
  readonly id: string
  readonly url: string
  readonly description: string
  /** The events that the endpoint gets. */
  readonly event_types: readonly EventType[]
  /** 1: each event is one call. More: a call carries an array of events. */
  readonly batch_max: number
  readonly enabled: boolean
  readonly disabled_at: string | null
  /** gone: the endpoint answered 410. failing: no call succeeded for five days. secret_lost: rotate the secret, then enable. */
  readonly disabled_reason: DisabledReason | null
  readonly failing_since: string | null
  /** The end of the pause that the endpoint asked for. */
  readonly paused_until: string | null
  readonly created_at: string
  readonly updated_at: string
  /** The expiry of each active secret, newest first. The secrets are not shown. */
  readonly secrets: readonly {
    readonly expires_at: string | null
  }[]
  /** Shown once; null in a replay of the request. */
  readonly secret: string | null
}

export type DisabledReason = 'asked' | 'gone' | 'failing' | 'secret_lost'

export type Attempt = {
  readonly at: string
  readonly took_ms: number
  /** Null when there was no answer. */
  readonly status: number | null
  /** Why there was no answer: timeout, private_address, or an error code of the system. */
  readonly error: string | null
  /** How the answer begins, 500 characters of it. */
  readonly answer: string
}

export type Message = {
  /** The webhook-id of the message. */
  readonly id: string
  readonly type: string
  readonly state: 'waiting' | 'delivered' | 'failed'
  readonly data: Readonly<Record<string, Json>>
  readonly created_at: string
  readonly next_attempt_at: string | null
  readonly settled_at: string | null
  readonly attempts: readonly Attempt[]
}

export type WebhooksApi = {
  /** Create a webhook endpoint */
  readonly 'POST /api/v1/webhooks': {
    readonly body: {
      /** The address to call, with https. */
      readonly url: string
      /** The events that the endpoint gets. */
      readonly event_types: readonly EventType[]
      readonly description?: string
      /** The most events in one call. Above 1 the body is an array of events. */
      readonly batch_max?: number
    }
    readonly reply: Success & {
      readonly webhook: Webhook
    }
  }
  /** List webhook endpoints */
  readonly 'GET /api/v1/webhooks': {
    readonly reply: Success & {
      readonly webhooks: readonly {
        readonly id: string
        readonly url: string
        readonly description: string
        /** The events that the endpoint gets. */
        readonly event_types: readonly EventType[]
        /** 1: each event is one call. More: a call carries an array of events. */
        readonly batch_max: number
        readonly enabled: boolean
        readonly disabled_at: string | null
        /** gone: the endpoint answered 410. failing: no call succeeded for five days. secret_lost: rotate the secret, then enable. */
        readonly disabled_reason: DisabledReason | null
        readonly failing_since: string | null
        /** The end of the pause that the endpoint asked for. */
        readonly paused_until: string | null
        readonly created_at: string
        readonly updated_at: string
      }[]
      readonly next_cursor: null
    }
  }
  /** Read a webhook endpoint */
  readonly 'GET /api/v1/webhooks/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly webhook: {
        readonly id: string
        readonly url: string
        readonly description: string
        /** The events that the endpoint gets. */
        readonly event_types: readonly EventType[]
        /** 1: each event is one call. More: a call carries an array of events. */
        readonly batch_max: number
        readonly enabled: boolean
        readonly disabled_at: string | null
        /** gone: the endpoint answered 410. failing: no call succeeded for five days. secret_lost: rotate the secret, then enable. */
        readonly disabled_reason: DisabledReason | null
        readonly failing_since: string | null
        /** The end of the pause that the endpoint asked for. */
        readonly paused_until: string | null
        readonly created_at: string
        readonly updated_at: string
        /** The expiry of each active secret, newest first. The secrets are not shown. */
        readonly secrets: readonly {
          readonly expires_at: string | null
        }[]
      }
    }
  }
  /** Change, disable or enable a webhook endpoint */
  readonly 'PATCH /api/v1/webhooks/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly body: {
      /** The address to call, with https. */
      readonly url?: string
      /** The events that the endpoint gets. */
      readonly event_types?: readonly EventType[]
      readonly description?: string
      /** The most events in one call. Above 1 the body is an array of events. */
      readonly batch_max?: number
      /** True enables the endpoint again and sends the waiting messages. */
      readonly enabled?: boolean
    }
    readonly reply: Success & {
      readonly webhook: {
        readonly id: string
        readonly url: string
        readonly description: string
        /** The events that the endpoint gets. */
        readonly event_types: readonly EventType[]
        /** 1: each event is one call. More: a call carries an array of events. */
        readonly batch_max: number
        readonly enabled: boolean
        readonly disabled_at: string | null
        /** gone: the endpoint answered 410. failing: no call succeeded for five days. secret_lost: rotate the secret, then enable. */
        readonly disabled_reason: DisabledReason | null
        readonly failing_since: string | null
        /** The end of the pause that the endpoint asked for. */
        readonly paused_until: string | null
        readonly created_at: string
        readonly updated_at: string
        /** The expiry of each active secret, newest first. The secrets are not shown. */
        readonly secrets: readonly {
          readonly expires_at: string | null
        }[]
      }
    }
  }
  /** Delete a webhook endpoint with its log */
  readonly 'DELETE /api/v1/webhooks/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & Readonly<Record<string, Json>>
  }
  /** Rotate the secret of a webhook endpoint */
  readonly 'POST /api/v1/webhooks/{id}/rotate': {
    readonly path: {
      readonly id: string
    }
    readonly body: {
      /** How long the old secrets also sign. */
      readonly overlap_hours?: number
    }
    readonly reply: Success & {
      readonly webhook: Webhook
    }
  }
  /** Test a webhook endpoint */
  readonly 'POST /api/v1/webhooks/{id}/test': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly attempt: Attempt
    }
  }
  /** List the messages of a webhook endpoint */
  readonly 'GET /api/v1/webhooks/{id}/messages': {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      readonly state?: 'waiting' | 'delivered' | 'failed'
    }
    readonly reply: Success & {
      readonly messages: readonly Message[]
      readonly next_cursor: string | null
    }
  }
  /** Read a webhook message */
  readonly 'GET /api/v1/webhooks/{id}/messages/{message_id}': {
    readonly path: {
      readonly id: string
      readonly message_id: string
    }
    readonly reply: Success & {
      readonly message: Message
    }
  }
  /** Send a webhook message again */
  readonly 'POST /api/v1/webhooks/{id}/messages/{message_id}/redrive': {
    readonly path: {
      readonly id: string
      readonly message_id: string
    }
    readonly reply: Success & {
      /** The number of messages that are sent again. */
      readonly count: number
    }
  }
  /** Send failed webhook messages again */
  readonly 'POST /api/v1/webhooks/{id}/redrive': {
    readonly path: {
      readonly id: string
    }
    readonly body: {
      /** The first moment. */
      readonly from: string
      /** The last moment; now if absent. */
      readonly to?: string
      /** True also sends delivered messages again. */
      readonly delivered_too?: boolean
    }
    readonly reply: Success & {
      /** The number of messages that are sent again. */
      readonly count: number
      /** True if there are more; call again for the rest. */
      readonly has_more: boolean
    }
  }
}
