import { parseInt64 } from '../../domain/values/int64.ts'
import { flawOf } from '../../domain/values/text.ts'
import { ATTRIBUTE_TYPES } from '../../rules/attributes.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import { type EventMark, listEvents } from '../../store/events/list.ts'
import { listRejected, type RejectedRow } from '../../store/events/rejected-entries.ts'
import { type EventSchemaRow, listEventSchema } from '../../store/events/schema.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList, parsePage } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { INSTANT, instantOf, NEXT_CURSOR, TEXT_OR_NULL } from '../schema/view.ts'
import { EVENT_FILTER_FIELDS, parseEventFilter } from './query.ts'
import { EVENT_VIEW, renderEvent } from './view.ts'

/** GET /api/v1/events */
export async function readEvents(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(EVENT_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const filter = parseEventFilter(parsed.value.value, deps, request)
  if (!filter.ok) return refuse(filter.rejection)
  const page = parsePage(parsed.value.value, parseMark)
  if (!page.ok) return refuse(page.rejection)

  const { after: before, limit } = page.value
  const events = await deps.database.asBrand(request.caller.brandId, async (tx) =>
    listEvents(tx, filter.value, { before, limit }),
  )
  const next = nextCursor(events, limit, ({ at, id }) => `${at} ${id}`)
  const fields = { events: events.map(renderEvent), next_cursor: next }
  return replySuccess(fields, { processed: events.length, warnings: parsed.value.warnings })
}

/** GET /api/v1/events/schema */
export async function readEventSchema(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(PAGE_QUERY, request.query), parseName)
  if (!parsed.ok) return refuse(parsed.rejection)

  const { after, limit, warnings } = parsed.value
  const { brandId } = request.caller
  const events = await deps.database.asBrand(brandId, async (tx) =>
    listEventSchema(tx, { brandId, afterName: after ?? '', limit }),
  )
  const next = nextCursor(events, limit, ({ eventName }) => eventName)
  return replySuccess(
    { events: events.map(renderSchema), next_cursor: next },
    { processed: events.length, warnings },
  )
}

/** GET /api/v1/events/rejected */
export async function readRejected(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(PAGE_QUERY, request.query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)

  const { after, limit, warnings } = parsed.value
  const { brandId } = request.caller
  const since = deps.clock.now() - EVENT_LIMITS.rejectedDays * DAY_MS
  const rejected = await deps.database.asBrand(brandId, async (tx) =>
    listRejected(tx, { brandId, beforeId: after ?? INT64_MAX, since, limit }),
  )
  const next = nextCursor(rejected, limit, ({ id }) => String(id))
  return replySuccess(
    { rejected: rejected.map(renderRejected), next_cursor: next },
    { processed: rejected.length, warnings },
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

function renderSchema({
  eventName,
  eventCount,
  firstSeenAt,
  lastSeenAt,
  attributes,
}: EventSchemaRow): object {
  return {
    event_name: eventName,
    event_count: eventCount,
    first_seen: instantOf(firstSeenAt),
    last_seen: instantOf(lastSeenAt),
    attributes: attributes.map(({ name, type, ...attribute }) => ({
      name,
      type: ATTRIBUTE_TYPES[type].label,
      first_seen: instantOf(Date.parse(attribute.locked_at)),
      last_seen: instantOf(Date.parse(attribute.last_seen_at)),
      count: attribute.shown_count + attribute.mistyped_count,
      mistyped: attribute.mistyped_count,
    })),
  }
}

function renderRejected({ rejectedAt, ...row }: RejectedRow): object {
  return { ...row, rejected_at: instantOf(rejectedAt) }
}

const EVENT_QUERY = Type.Object({ ...EVENT_FILTER_FIELDS, ...PAGE_FIELDS })
const PAGE_QUERY = Type.Object(PAGE_FIELDS)
const SEEN = { first_seen: INSTANT, last_seen: INSTANT }

const SCHEMA_VIEW = Type.Object({
  event_name: Type.String(),
  event_count: Type.Integer(),
  ...SEEN,
  attributes: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.Enum(Object.values(ATTRIBUTE_TYPES).map(({ label }) => label)),
      ...SEEN,
      count: Type.Integer({ description: 'How many values came, the mistyped ones included.' }),
      mistyped: Type.Integer({ description: 'How many values had another type than the locked one.' }),
    }),
  ),
})

const REJECTED_VIEW = Type.Object({
  id: Type.Integer(),
  index: Type.Integer({ description: 'Which entry of its call it was.' }),
  code: Type.String(),
  field: TEXT_OR_NULL,
  message: Type.String(),
  entry: Type.String({
    description: `What was sent, as JSON in a text; its first ${EVENT_LIMITS.rejectedCharsMax} characters.`,
  }),
  rejected_at: INSTANT,
})

const EVENTS = { group: 'Events', method: 'GET', scopes: ['events'], body: 'none' } as const

export const EVENT_READ_ROUTES: readonly Route[] = [
  {
    ...EVENTS,
    path: '/api/v1/events',
    summary: 'Lists events by person, name, time and attribute',
    description:
      'Newest first: by when they happened for one person or one name, by when they were received otherwise.',
    querySchema: EVENT_QUERY,
    reply: Type.Object({ events: Type.Array(EVENT_VIEW), ...NEXT_CURSOR }),
    handler: readEvents,
  },
  {
    ...EVENTS,
    path: '/api/v1/events/schema',
    summary: 'Shows every event, its attributes and the types they are locked to',
    description: 'With how often each came, when first and last, and how many values were mistyped.',
    querySchema: PAGE_QUERY,
    reply: Type.Object({ events: Type.Array(SCHEMA_VIEW), ...NEXT_CURSOR }),
    handler: readEventSchema,
  },
  {
    ...EVENTS,
    path: '/api/v1/events/rejected',
    summary: `Lists the entries that were refused in the last ${EVENT_LIMITS.rejectedDays} days, and why`,
    querySchema: PAGE_QUERY,
    reply: Type.Object({ rejected: Type.Array(REJECTED_VIEW), ...NEXT_CURSOR }),
    handler: readRejected,
  },
]
