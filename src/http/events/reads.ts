import { parseInt64 } from '../../domain/values/int64.ts'
import { flawOf } from '../../domain/values/text.ts'
import { CATALOGUE_LIMITS } from '../../rules/catalogue.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import type { Db } from '../../store/db.ts'
import { type EventMark, listEvents } from '../../store/events/list.ts'
import { listRejected } from '../../store/events/rejected-entries.ts'
import { listEventSchema } from '../../store/events/schema.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList, parsePage } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { EVENT_ROW_FIELDS, parseEventRows } from './rows-query.ts'
import { renderEventSchema, renderListedEvent, renderRejected } from './view.ts'

/** GET /api/v1/events */
export async function readEvents(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(EVENT_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const asked = await parseEventRows(parsed.value.value, deps, request)
  if (!asked.ok) return refuse(asked.rejection)
  const page = parsePage(parsed.value.value, parseMark)
  if (!page.ok) return refuse(page.rejection)

  const { after: before, limit } = page.value
  const { filter } = asked.value
  const list = async (tx: Db) => listEvents(tx, filter, { before, limit })
  // A filter of people is asked as the engine, because row-level security would keep it from its indexes.
  const events =
    filter.people === null
      ? await deps.database.asBrand(request.caller.brandId, list)
      : await deps.database.asEngine(list)
  const next = nextCursor(events, ({ at, id }) => `${at} ${id}`)
  const fields = { events: events.rows.map(renderListedEvent), next_cursor: next }
  const warnings = [...parsed.value.warnings, ...asked.value.warnings]
  return replySuccess(fields, { processed: events.rows.length, warnings })
}

/** GET /api/v1/events/schema */
export async function readEventSchema(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(EVENT_SCHEMA_QUERY, request.query), parseName)
  if (!parsed.ok) return refuse(parsed.rejection)

  const { value, after, limit, warnings } = parsed.value
  const { prefix = '' } = value
  const { brandId } = request.caller
  const events = await deps.database.asBrand(brandId, async (tx) =>
    listEventSchema(tx, { brandId, prefix, afterName: after ?? '', limit }),
  )
  const next = nextCursor(events, ({ eventName }) => eventName)
  return replySuccess(
    { events: events.rows.map(renderEventSchema), next_cursor: next },
    { processed: events.rows.length, warnings },
  )
}

/** GET /api/v1/events/rejected */
export async function readRejected(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(EVENT_PAGE_QUERY, request.query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)

  const { after, limit, warnings } = parsed.value
  const { brandId } = request.caller
  const since = deps.clock.now() - EVENT_LIMITS.rejectedDays * DAY_MS
  const rejected = await deps.database.asBrand(brandId, async (tx) =>
    listRejected(tx, { brandId, beforeId: after ?? INT64_MAX, since, limit }),
  )
  const next = nextCursor(rejected, ({ id }) => String(id))
  return replySuccess(
    { rejected: rejected.rows.map(renderRejected), next_cursor: next },
    { processed: rejected.rows.length, warnings },
  )
}

const DAY_MS = 86_400_000
const INT64_MAX = 9_223_372_036_854_775_807n

function parseMark(text: string): EventMark | null {
  const [, at, digits = ''] = /^(-?\d{1,15}) (\d+)$/.exec(text) ?? []
  const id = parseInt64(digits)
  return id === null ? null : { at: Number(at), id }
}

function parseName(text: string): string | null {
  return flawOf(text) === null ? text : null
}

export const EVENT_QUERY = Type.Object({ ...EVENT_ROW_FIELDS, ...PAGE_FIELDS })
export const EVENT_PAGE_QUERY = Type.Object(PAGE_FIELDS)
export const EVENT_SCHEMA_QUERY = Type.Object({
  prefix: Type.Optional(
    Type.String({
      maxLength: CATALOGUE_LIMITS.prefixCharsMax,
      description: 'Only names of events that begin so, in any case.',
    }),
  ),
  ...PAGE_FIELDS,
})
