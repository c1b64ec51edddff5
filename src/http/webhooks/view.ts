import { messageId } from '../../domain/webhooks/call.ts'
import { liveSecrets, type WebhookSecret } from '../../domain/webhooks/secrets.ts'
import { WEBHOOK_EVENTS, WEBHOOK_RULES, type WebhookEventType } from '../../rules/webhooks.ts'
import type { WebhookEndpoint } from '../../store/webhooks/endpoints.ts'
import type { MessageReport } from '../../store/webhooks/log.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, INSTANT_OR_NULL, instantOf, instantOrNull } from '../schema/view.ts'

const EVENT_TYPES = Object.keys(WEBHOOK_EVENTS).filter(
  (name): name is WebhookEventType => name in WEBHOOK_EVENTS,
)

export function renderWebhookEndpoint(endpoint: WebhookEndpoint): object {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    event_types: endpoint.eventTypes,
    batch_max: endpoint.batchMax,
    enabled: endpoint.disabledAt === null,
    disabled_at: orNull(endpoint.disabledAt),
    disabled_reason: endpoint.disabledReason,
    failing_since: orNull(endpoint.failingSince),
    paused_until: orNull(endpoint.pausedUntil),
    created_at: instantOf(endpoint.createdAt),
    updated_at: instantOf(endpoint.updatedAt),
  }
}

export function renderMessage(message: MessageReport): object {
  return {
    id: messageId(message.id),
    type: message.type,
    state: message.state,
    data: message.data,
    created_at: instantOf(message.createdAt),
    next_attempt_at: message.state === 'waiting' ? instantOf(message.readyAt) : null,
    settled_at: orNull(message.settledAt),
    attempts: message.attempts,
  }
}

/** How many sign, and until when the older ones do; never the secrets themselves. */
export function renderSecrets(secrets: readonly WebhookSecret[], now: number): object {
  return liveSecrets(secrets, now).map(({ expiresAt }) => ({ expires_at: orNull(expiresAt) }))
}

function orNull(at: number | null): string | null {
  return instantOrNull(at)
}

export const EVENT_TYPE_LIST = Type.Array(Type.Enum([...EVENT_TYPES]), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description: 'The events that the endpoint gets.',
})

export const ENDPOINT_FIELDS = {
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  description: Type.String(),
  event_types: EVENT_TYPE_LIST,
  batch_max: Type.Integer({
    description: '1: each event is one call. More: a call carries an array of events.',
  }),
  enabled: Type.Boolean(),
  disabled_at: INSTANT_OR_NULL,
  disabled_reason: Type.Union([Type.Enum(['asked', 'gone', 'failing', 'secret_lost']), Type.Null()], {
    description:
      'gone: the endpoint answered 410. failing: no call succeeded for five days. secret_lost: rotate the secret, then enable.',
  }),
  failing_since: INSTANT_OR_NULL,
  paused_until: Type.Union([INSTANT, Type.Null()], {
    description: 'The end of the pause that the endpoint asked for.',
  }),
  created_at: INSTANT,
  updated_at: INSTANT,
}

export const ATTEMPT_VIEW = Type.Object({
  at: INSTANT,
  took_ms: Type.Integer(),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'Null when there was no answer.' }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Why there was no answer: timeout, private_address, or an error code of the system.',
  }),
  answer: Type.String({
    description: `How the answer begins, ${WEBHOOK_RULES.answerCharsShown} characters of it.`,
  }),
})

export const MESSAGE_VIEW = Type.Object({
  id: Type.String({ description: 'The webhook-id of the message.' }),
  type: Type.String(),
  state: Type.Enum(['waiting', 'delivered', 'failed']),
  data: Type.Object({}, { additionalProperties: true }),
  created_at: INSTANT,
  next_attempt_at: INSTANT_OR_NULL,
  settled_at: INSTANT_OR_NULL,
  attempts: Type.Array(ATTEMPT_VIEW),
})
