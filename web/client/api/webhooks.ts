// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
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
  /** What the endpoint is told. */
  readonly event_types: readonly EventType[]
  /** 1: each event is a call of its own. More: calls carry an array. */
  readonly batch_max: number
  readonly enabled: boolean
  readonly disabled_at: string | null
  /** gone: it answered 410. failing: not one call succeeded for days. */
  readonly disabled_reason: ('asked' | 'gone' | 'failing') | null
  readonly failing_since: string | null
  /** The end of the pause that the endpoint asked for. */
  readonly paused_until: string | null
  readonly created_at: string
  readonly updated_at: string
  /** The secrets that sign, newest first, without the secrets. */
  readonly secrets: readonly {
    readonly expires_at: string | null
  }[]
  /** Shown once; a replay of the request has null here. */
  readonly secret: string | null
}

export type Attempt = {
  readonly at: string
  readonly took_ms: number
  /** Null when there was no answer. */
  readonly status: number | null
  /** Why there was none: timeout, private_address, or the system’s own word for it. */
  readonly error: string | null
  /** How the answer begins, 500 characters of it. */
  readonly answer: string
}

export type Message = {
  /** The webhook-id it is sent with. */
  readonly id: string
  readonly type: string
  readonly state: 'waiting' | 'delivered' | 'failed'
  readonly data: Readonly<Record<string, unknown>>
  readonly created_at: string
  readonly next_attempt_at: string | null
  readonly settled_at: string | null
  readonly attempts: readonly Attempt[]
}

export type WebhooksApi = {
  /** Adds an endpoint that is told what happens */
  readonly 'POST /api/v1/webhooks': {
    readonly body: {
      /** Where to call, by https. */
      readonly url: string
      /** What the endpoint is told. */
      readonly event_types: readonly EventType[]
      readonly description?: string
      /** How many events one call may carry. Above 1 the body is an array of events. */
      readonly batch_max?: number
    }
    readonly reply: Success & {
      readonly webhook: Webhook
    }
  }
  /** Lists the endpoints */
  readonly 'GET /api/v1/webhooks': {
    readonly reply: Success & {
      readonly webhooks: readonly {
        readonly id: string
        readonly url: string
        readonly description: string
        /** What the endpoint is told. */
        readonly event_types: readonly EventType[]
        /** 1: each event is a call of its own. More: calls carry an array. */
        readonly batch_max: number
        readonly enabled: boolean
        readonly disabled_at: string | null
        /** gone: it answered 410. failing: not one call succeeded for days. */
        readonly disabled_reason: ('asked' | 'gone' | 'failing') | null
        readonly failing_since: string | null
        /** The end of the pause that the endpoint asked for. */
        readonly paused_until: string | null
        readonly created_at: string
        readonly updated_at: string
      }[]
      readonly next_cursor: null
    }
  }
  /** Reads one endpoint */
  readonly 'GET /api/v1/webhooks/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly webhook: {
        readonly id: string
        readonly url: string
        readonly description: string
        /** What the endpoint is told. */
        readonly event_types: readonly EventType[]
        /** 1: each event is a call of its own. More: calls carry an array. */
        readonly batch_max: number
        readonly enabled: boolean
        readonly disabled_at: string | null
        /** gone: it answered 410. failing: not one call succeeded for days. */
        readonly disabled_reason: ('asked' | 'gone' | 'failing') | null
        readonly failing_since: string | null
        /** The end of the pause that the endpoint asked for. */
        readonly paused_until: string | null
        readonly created_at: string
        readonly updated_at: string
        /** The secrets that sign, newest first, without the secrets. */
        readonly secrets: readonly {
          readonly expires_at: string | null
        }[]
      }
    }
  }
  /** Changes, disables or enables an endpoint */
  readonly 'PATCH /api/v1/webhooks/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly body: {
      /** Where to call, by https. */
      readonly url?: string
      /** What the endpoint is told. */
      readonly event_types?: readonly EventType[]
      readonly description?: string
      /** How many events one call may carry. Above 1 the body is an array of events. */
      readonly batch_max?: number
      /** True also forgets what disabled it; what waited meanwhile is sent. */
      readonly enabled?: boolean
    }
    readonly reply: Success & {
      readonly webhook: {
        readonly id: string
        readonly url: string
        readonly description: string
        /** What the endpoint is told. */
        readonly event_types: readonly EventType[]
        /** 1: each event is a call of its own. More: calls carry an array. */
        readonly batch_max: number
        readonly enabled: boolean
        readonly disabled_at: string | null
        /** gone: it answered 410. failing: not one call succeeded for days. */
        readonly disabled_reason: ('asked' | 'gone' | 'failing') | null
        readonly failing_since: string | null
        /** The end of the pause that the endpoint asked for. */
        readonly paused_until: string | null
        readonly created_at: string
        readonly updated_at: string
        /** The secrets that sign, newest first, without the secrets. */
        readonly secrets: readonly {
          readonly expires_at: string | null
        }[]
      }
    }
  }
  /** Deletes an endpoint with its log */
  readonly 'DELETE /api/v1/webhooks/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & Readonly<Record<string, unknown>>
  }
  /** Makes a new secret */
  readonly 'POST /api/v1/webhooks/{id}/rotate': {
    readonly path: {
      readonly id: string
    }
    readonly body: {
      /** How long the old secrets sign too. */
      readonly overlap_hours?: number
    }
    readonly reply: Success & {
      readonly webhook: Webhook
    }
  }
  /** Calls an endpoint now, and tells what it answered */
  readonly 'POST /api/v1/webhooks/{id}/test': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly attempt: Attempt
    }
  }
  /** Lists what an endpoint was told, with every attempt */
  readonly 'GET /api/v1/webhooks/{id}/messages': {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The next_cursor of the page before. */
      readonly cursor?: string
      /** How many to give at most. */
      readonly limit?: number
      readonly state?: 'waiting' | 'delivered' | 'failed'
    }
    readonly reply: Success & {
      readonly messages: readonly Message[]
      readonly next_cursor: string | null
    }
  }
  /** Reads one message */
  readonly 'GET /api/v1/webhooks/{id}/messages/{message_id}': {
    readonly path: {
      readonly id: string
      readonly message_id: string
    }
    readonly reply: Success & {
      readonly message: Message
    }
  }
  /** Sends one message again */
  readonly 'POST /api/v1/webhooks/{id}/messages/{message_id}/redrive': {
    readonly path: {
      readonly id: string
      readonly message_id: string
    }
    readonly reply: Success & {
      /** How many are sent again. */
      readonly count: number
    }
  }
  /** Sends again what failed in a span of time */
  readonly 'POST /api/v1/webhooks/{id}/redrive': {
    readonly path: {
      readonly id: string
    }
    readonly body: {
      /** Events from this moment on. */
      readonly from: string
      /** Up to this one, else up to now. */
      readonly to?: string
      /** True sends again what was delivered, not only what failed. */
      readonly delivered_too?: boolean
    }
    readonly reply: Success & {
      /** How many are sent again. */
      readonly count: number
      /** Ask again for the rest. */
      readonly has_more: boolean
    }
  }
}
