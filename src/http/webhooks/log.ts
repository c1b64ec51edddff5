import { fault } from '../../domain/fault.ts'
import { WEBHOOK_RULES } from '../../rules/webhooks.ts'
import { listMessages, loadMessage, redriveMessages } from '../../store/webhooks/log.ts'
import type { Deps } from '../deps.ts'
import { parseTimeRange } from '../fields/time-range.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseBody, parseQuery, Type } from '../schema/schema.ts'
import { renderMessage } from './view.ts'
import { withEndpoint } from './webhooks.ts'

/** GET /api/v1/webhooks/{id}/messages: the delivery log, newest first. */
export async function listWebhookMessages(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(MESSAGE_QUERY, request.query), parseMessageId)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value

  return withEndpoint(deps, request, async (tx, ref) => {
    const page = await listMessages(tx, { ...ref, state: value.state ?? null, beforeId: after, limit })
    const fields = { messages: page.rows.map(renderMessage), next_cursor: nextCursor(page, ({ id }) => id) }
    return replySuccess(fields, { processed: page.rows.length, warnings })
  })
}

/** GET /api/v1/webhooks/{id}/messages/{message_id} */
export async function readWebhookMessage(deps: Deps, request: TenantRequest): Promise<Reply> {
  const messageId = parseMessageId(param(request, 'message_id'))
  return withEndpoint(deps, request, async (tx, ref) => {
    const message = messageId === null ? null : await loadMessage(tx, { ...ref, messageId })
    return message === null ? refuse(NO_MESSAGE) : replySuccess({ message: renderMessage(message) })
  })
}

/** POST /api/v1/webhooks/{id}/messages/{message_id}/redrive */
export async function redriveWebhookMessage(deps: Deps, request: TenantRequest): Promise<Reply> {
  const messageId = parseMessageId(param(request, 'message_id'))
  return withEndpoint(deps, request, async (tx, ref) => {
    if (messageId === null || (await loadMessage(tx, { ...ref, messageId })) === null)
      return refuse(NO_MESSAGE)
    return replySuccess({ count: await redriveMessages(tx, { ...ref, what: { messageId }, rowsMax: 1 }) })
  })
}

/** POST /api/v1/webhooks/{id}/redrive: all that failed in a span of time. */
export async function redriveWebhook(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(REDRIVE_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { delivered_too: isDeliveredToo = false, ...span } = parsed.value.value
  const usual = { fromAt: 0, toAt: deps.clock.now() }
  const range = parseTimeRange(span, { timeZone: request.caller.timeZone, usual })
  if (!range.ok) return refuse(range.rejection)

  const { redriveMax: rowsMax } = WEBHOOK_RULES
  return withEndpoint(deps, request, async (tx, ref) => {
    const what = { ...range.value, isDeliveredToo }
    const count = await redriveMessages(tx, { ...ref, what, rowsMax })
    return replySuccess({ count, has_more: count === rowsMax }, { warnings: parsed.value.warnings })
  })
}

export const MESSAGE_QUERY = Type.Object({
  ...PAGE_FIELDS,
  state: Type.Optional(Type.Enum(['waiting', 'delivered', 'failed'])),
})

export const REDRIVE_BODY = Type.Object({
  from: Type.String({ format: 'date-time', description: 'The first moment.' }),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'The last moment; now if absent.' })),
  delivered_too: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'True also sends delivered messages again.',
    }),
  ),
})

const NO_MESSAGE = { faults: [fault('webhook_message_not_found')] } as const
const MESSAGE_ID = /^(?:msg_)?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i

function parseMessageId(text: string): string | null {
  return MESSAGE_ID.exec(text)?.[1] ?? null
}
