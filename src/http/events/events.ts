import { forTry } from '../../intake/events/intake.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import type { MistypedValue } from '../../store/events/intake.ts'
import { tryAgain } from '../../store/try-again.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { type EventBatch, parseEventBody } from './body.ts'
import { keepRefused } from './refused-entry.ts'
import { lockWarning, replyEntries } from './reply.ts'
import { EVENT_BODY_EXAMPLE, EVENT_BODY_SCHEMA, EVENT_REPLY_SCHEMA } from './schema.ts'

/** POST /api/event */
export async function logEvents(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { caller, idempotency } = request
  const { brandId, timeZone, profileMerging: isMerging } = caller
  const batch = parseEventBody(request.body, { now: deps.clock.now(), timeZone, isMerging })
  if (!batch.ok) return refuse(batch.rejection)

  const { entries, refused, isPlain } = batch.value
  const body = isPlain && isHandedOn(request.bytes) ? request.bytes : undefined
  const call = { entries, rejected: refused.map(keepRefused), isMerging, body }
  if (idempotency === null) return renderReply(batch.value, await deps.intake.submit(brandId, call))
  return tryAgain(async (which) =>
    replyOnce(deps, request, async (tx) =>
      renderReply(batch.value, await deps.intake.storeIn(tx, brandId, forTry(which, call))),
    ),
  )
}

/** JSON.parse never sees a byte order mark, but the database would. */
function isHandedOn(bytes: Uint8Array): boolean {
  return bytes.length > 0 && bytes[0] !== 0xef
}

function renderReply({ entries, refused, warnings }: EventBatch, mistyped: readonly MistypedValue[]): Reply {
  const locked = mistyped.map((one) => lockWarning(one))
  return replyEntries({ processed: entries.length, refused, warnings: [...warnings, ...locked] })
}

export const EVENT_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/event',
    group: 'Events',
    summary: 'Logs up to 1000 events',
    description:
      'Each entry is judged by itself: the good ones are stored, the others are listed in unprocessed. The reply is sent when the events are committed.',
    scopes: ['events'],
    body: 'json',
    bodyBytesMax: EVENT_LIMITS.bodyBytesMax,
    isIdempotent: true,
    bodySchema: EVENT_BODY_SCHEMA,
    reply: EVENT_REPLY_SCHEMA,
    refusals: ['parameter_missing', 'too_many_entries'],
    example: EVENT_BODY_EXAMPLE,
    handler: logEvents,
  },
]
