import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT_OR_NULL, NEXT_CURSOR } from '../schema/view.ts'
import { WEBHOOK_CHANGE, WEBHOOK_DRAFT, WEBHOOK_ROTATION } from './body.ts'
import {
  listWebhookMessages,
  MESSAGE_QUERY,
  REDRIVE_BODY,
  readWebhookMessage,
  redriveWebhook,
  redriveWebhookMessage,
} from './log.ts'
import { ATTEMPT_VIEW, ENDPOINT_FIELDS, MESSAGE_VIEW } from './view.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  rotateWebhook,
  tryWebhook,
} from './webhooks.ts'

const FACTS = { group: 'Webhooks', scopes: ['brand', 'keys'] } as const
/** A message tells of a person, so neither a key for webhooks alone nor a read half opens it. */
const MESSAGES = { group: 'Webhooks', scopes: ['brand'], readScopes: [] } as const
const PATH = '/api/v1/webhooks'
const SECRETS = Type.Array(Type.Object({ expires_at: INSTANT_OR_NULL }), {
  description: 'The expiry of each active secret, newest first. The secrets are not shown.',
})
const ENDPOINT = Type.Object({ ...ENDPOINT_FIELDS, secrets: SECRETS })
const ONE = Type.Object({ webhook: ENDPOINT })
const WITH_SECRET = Type.Object({
  webhook: Type.Object({
    ...ENDPOINT_FIELDS,
    secrets: SECRETS,
    secret: Type.Union([Type.String(), Type.Null()], {
      description: 'Shown once; null in a replay of the request.',
    }),
  }),
})
const COUNT = { count: Type.Integer({ description: 'The number of messages that are sent again.' }) }

export const WEBHOOK_ROUTES: readonly Route[] = [
  {
    ...FACTS,
    method: 'POST',
    path: PATH,
    summary: 'Create a webhook endpoint',
    needsProof: true,
    description:
      'Beckon calls it when something happens, signed as in Standard Webhooks. Only this reply shows the secret.',
    body: 'json',
    bodySchema: WEBHOOK_DRAFT,
    reply: WITH_SECRET,
    example: { url: 'https://example.com/hooks', event_types: ['delivery.clicked', 'subscription.gone'] },
    refusals: ['too_many_webhooks'],
    isIdempotent: true,
    handler: createWebhook,
  },
  {
    ...FACTS,
    method: 'GET',
    path: PATH,
    summary: 'List webhook endpoints',
    body: 'none',
    reply: Type.Object({ webhooks: Type.Array(Type.Object(ENDPOINT_FIELDS)), next_cursor: Type.Null() }),
    handler: listWebhooks,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{id}`,
    summary: 'Read a webhook endpoint',
    body: 'none',
    reply: ONE,
    refusals: ['webhook_not_found'],
    handler: readWebhook,
  },
  {
    ...FACTS,
    method: 'PATCH',
    path: `${PATH}/{id}`,
    summary: 'Change, disable or enable a webhook endpoint',
    body: 'json',
    bodySchema: WEBHOOK_CHANGE,
    reply: ONE,
    example: { enabled: true },
    refusals: ['webhook_not_found'],
    handler: changeWebhook,
  },
  {
    ...FACTS,
    method: 'DELETE',
    path: `${PATH}/{id}`,
    summary: 'Delete a webhook endpoint with its log',
    body: 'none',
    reply: Type.Object({}),
    refusals: ['webhook_not_found'],
    handler: deleteWebhook,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/{id}/rotate`,
    summary: 'Rotate the secret of a webhook endpoint',
    needsProof: true,
    description:
      'The old secret also signs for overlap_hours, so that your server can change it without refusing calls.',
    body: 'json',
    bodySchema: WEBHOOK_ROTATION,
    reply: WITH_SECRET,
    example: { overlap_hours: 24 },
    refusals: ['webhook_not_found'],
    handler: rotateWebhook,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/{id}/test`,
    rateLimit: 'trial',
    summary: 'Test a webhook endpoint',
    description:
      'Calls it at once with an event of type webhook.test, and shows its answer. Nothing is stored, and a failure does not count.',
    body: 'none',
    reply: Type.Object({ attempt: ATTEMPT_VIEW }),
    refusals: ['webhook_not_found'],
    handler: tryWebhook,
  },
  {
    ...MESSAGES,
    method: 'GET',
    path: `${PATH}/{id}/messages`,
    summary: 'List the messages of a webhook endpoint',
    body: 'none',
    querySchema: MESSAGE_QUERY,
    reply: Type.Object({
      messages: Type.Array(MESSAGE_VIEW),
      ...NEXT_CURSOR,
    }),
    refusals: ['webhook_not_found'],
    handler: listWebhookMessages,
  },
  {
    ...MESSAGES,
    method: 'GET',
    path: `${PATH}/{id}/messages/{message_id}`,
    summary: 'Read a webhook message',
    body: 'none',
    reply: Type.Object({ message: MESSAGE_VIEW }),
    refusals: ['webhook_not_found', 'webhook_message_not_found'],
    handler: readWebhookMessage,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/{id}/messages/{message_id}/redrive`,
    summary: 'Send a webhook message again',
    body: 'none',
    reply: Type.Object(COUNT),
    refusals: ['webhook_not_found', 'webhook_message_not_found'],
    handler: redriveWebhookMessage,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/{id}/redrive`,
    summary: 'Send failed webhook messages again',
    body: 'json',
    bodySchema: REDRIVE_BODY,
    reply: Type.Object({
      ...COUNT,
      has_more: Type.Boolean({ description: 'True if there are more; call again for the rest.' }),
    }),
    example: { from: '2026-11-15T00:00:00Z' },
    refusals: ['webhook_not_found'],
    handler: redriveWebhook,
  },
]
