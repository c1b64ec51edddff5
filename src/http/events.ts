import { encodeJson, isJsonObject } from '../domain/json.ts'
import { EVENT_LIMITS } from '../rules/events.ts'
import type { SetAside } from '../store/event-intake.ts'
import type { RejectedEntry } from '../store/rejected-entries.ts'
import type { Deps } from './deps.ts'
import { replyOnce } from './idempotency.ts'
import { type Reply, refuse } from './reply.ts'
import type { TenantRequest } from './request.ts'
import type { Route } from './route.ts'
import { type EventBatch, parseEventBody, type RefusedEntry } from './wire/event-body.ts'
import { lockWarning, replyEntries } from './wire/event-reply.ts'
import { EVENT_BODY_EXAMPLE, EVENT_BODY_SCHEMA, EVENT_REPLY_SCHEMA } from './wire/event-schema.ts'

/** POST /api/event */
export async function logEvents(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { caller, idempotency } = request
  const { brandId, timeZone, profileMerging: isMerging } = caller
  const batch = parseEventBody(request.body, { now: deps.clock.now(), timeZone, isMerging })
  if (!batch.ok) return refuse(batch.rejection)

  const call = { entries: batch.value.entries, rejected: batch.value.refused.map(keepRefused) }
  if (idempotency === null) return renderReply(batch.value, await deps.intake.submit(brandId, call))
  return replyOnce(deps, request, async (tx) =>
    renderReply(batch.value, await deps.intake.storeIn(tx, brandId, call)),
  )
}

function renderReply({ entries, refused, warnings }: EventBatch, setAside: readonly SetAside[]): Reply {
  const locked = setAside.map(lockWarning)
  return replyEntries({ processed: entries.length, refused, warnings: [...warnings, ...locked] })
}

/** A refused entry is kept as text, with the names in it, by which it is found when the person asks to be erased. */
function keepRefused({ index, fault, given }: RefusedEntry): RejectedEntry {
  const entry = encodeJson(given).slice(0, EVENT_LIMITS.rejectedCharsMax)
  const names = isJsonObject(given) ? [given['userID'], given['email'], given['mobile']] : []
  const identifiers = names.flatMap((name) =>
    typeof name === 'string' ? [name.slice(0, EVENT_LIMITS.rejectedCharsMax)] : [],
  )
  return { index, fault, entry, identifiers }
}

export const EVENT_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/event',
    group: 'Events',
    summary: 'Logs up to 1000 events',
    description:
      'Each entry is judged by itself: the good ones are stored, the others are listed in unprocessed. The reply is sent when the events are committed.',
    scopes: ['events', 'track'],
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
