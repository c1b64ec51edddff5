import { fault } from '../../domain/fault.ts'
import { accept, type Result } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { DEMO_USER } from '../../rules/brand.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import { countPeople, listPeople, type PersonRow } from '../../store/events/people-by-event.ts'
import { loadPerson } from '../../store/people/person.ts'
import type { Deps } from '../deps.ts'
import { NAME_SCHEMAS } from '../events/schema.ts'
import { parseTimeRange, type TimeRange } from '../fields/time-range.ts'
import { formatCursor, parsePage } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { JsonSchema, Route } from '../route.ts'
import { parseBody, type Static, Type } from '../schema/schema.ts'
import { instantOf, NEXT_CURSOR } from '../schema/view.ts'
import { parseIdentifiers } from './identifiers.ts'
import { describePerson, PERSON_VIEW, PROFILE_VIEW } from './view.ts'

/** GET and POST /api/v1/user/userData: all there is about one person. */
export async function readUser(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId, profileMerging: isMerging } = request.caller
  const who = parseIdentifiers(givenNames(request), { isMerging })
  if (!who.ok) return refuse(who.rejection)

  return deps.database.asBrand(brandId, async (tx) => {
    const person = await loadPerson(tx, { brandId, who: who.value })
    if (person === null) return refuse({ faults: [fault('profile_not_found')] })
    return replySuccess({ profile: await describePerson(tx, brandId, person) })
  })
}

/** POST /api/v1/user/profile: who did an event in a stretch of time. */
export async function listUsersByEvent(deps: Deps, request: TenantRequest): Promise<Reply> {
  const query = parseEventQuery(deps, request)
  if (!query.ok) return refuse(query.rejection)
  const { eventName, range, warnings, after, limit } = query.value
  const { brandId } = request.caller

  const people = await deps.database.asBrand(brandId, async (tx) =>
    listPeople(tx, { brandId, eventName, ...range, afterId: after ?? 0n, limit }),
  )
  const last = people.at(-1)
  const next = last === undefined || people.length < limit ? null : formatCursor(String(last.id))
  const fields = { profiles: people.map(renderRow), next_cursor: next }
  return replySuccess(fields, { processed: people.length, warnings })
}

/** POST /api/v1/user/count: how many did. */
export async function countUsersByEvent(deps: Deps, request: TenantRequest): Promise<Reply> {
  const query = parseEventQuery(deps, request)
  if (!query.ok) return refuse(query.rejection)
  const { eventName, range, warnings } = query.value
  const { brandId } = request.caller

  const count = await deps.database.asBrand(brandId, async (tx) =>
    countPeople(tx, { brandId, eventName, ...range }),
  )
  return replySuccess({ count }, { warnings })
}

/** The names may stand in the query, in the body, or in the body's `nv`. */
function givenNames({ query, body }: TenantRequest): JsonObject {
  const nv = isJsonObject(body) ? body['nv'] : undefined
  const [first] = Array.isArray(nv) ? nv : [nv]
  const inBody = isJsonObject(first) ? first : body
  return { ...Object.fromEntries(query), ...(isJsonObject(inBody) ? inBody : {}) }
}

function renderRow(row: PersonRow): object {
  return {
    userID: row.userIds[0] ?? null,
    user_ids: row.userIds,
    email: row.email,
    mobile: row.mobile,
    user_attributes: row.attributes,
    tags: row.tags,
    created_at: instantOf(row.createdAt),
    updated_at: instantOf(row.updatedAt),
  }
}

const EVENT_QUERY = Type.Object({
  event_name: Type.String({ minLength: 1 }),
  from: Type.String({ description: 'The first day, or a time.' }),
  to: Type.String({ description: 'The last day, or a time that is no longer part of it.' }),
  batch_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PROFILE_LIMITS.batchSizeMax,
      default: PROFILE_LIMITS.batchSizeDefault,
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: 'The next_cursor of the page before.' })),
})

type EventQuery = {
  readonly eventName: string
  readonly range: TimeRange
  readonly after: bigint | null
  readonly limit: number
  readonly warnings: readonly Warning[]
}

function parseEventQuery({ clock }: Deps, { body, caller }: TenantRequest): Result<EventQuery> {
  const parsed = parseBody(EVENT_QUERY, body)
  if (!parsed.ok) return parsed
  const given: Static<typeof EVENT_QUERY> = parsed.value.value
  const usual = { fromAt: 0, toAt: clock.now() }
  const range = parseTimeRange(given, { timeZone: caller.timeZone, usual })
  if (!range.ok) return range
  const { batch_size: limit = PROFILE_LIMITS.batchSizeDefault, cursor } = given
  const page = parsePage({ ...(cursor !== undefined && { cursor }), limit }, parseInt64)
  if (!page.ok) return page
  const { after } = page.value
  return accept({
    eventName: given.event_name,
    range: range.value,
    after,
    limit,
    warnings: parsed.value.warnings,
  })
}

const PROFILE_REPLY = Type.Object({ profile: PERSON_VIEW })

/** Any of the three will do while the brand merges profiles, and only `userID` otherwise. */
const NAMES: JsonSchema = { type: 'object', properties: NAME_SCHEMAS }

const USER = { group: 'Profiles', scopes: ['profiles'] } as const

export const USER_READ_ROUTES: readonly Route[] = [
  {
    ...USER,
    method: 'GET',
    path: '/api/v1/user/userdata',
    summary: 'Shows all there is about one person',
    description:
      'Attributes, names, tags, devices, worth, recent events; and under records every stored row that mentions them, for a request to see one’s data.',
    body: 'none',
    querySchema: NAMES,
    exampleQuery: { userID: DEMO_USER },
    reply: PROFILE_REPLY,
    refusals: ['identifier_missing', 'profile_not_found'],
    handler: readUser,
  },
  {
    ...USER,
    method: 'POST',
    path: '/api/v1/user/userdata',
    summary: 'The same, with the name in the body',
    body: 'json',
    bodySchema: NAMES,
    example: { userID: DEMO_USER },
    reply: PROFILE_REPLY,
    refusals: ['identifier_missing', 'profile_not_found'],
    handler: readUser,
  },
  {
    ...USER,
    method: 'POST',
    path: '/api/v1/user/profile',
    summary: 'Lists the profiles that did an event in a stretch of time',
    body: 'json',
    bodySchema: EVENT_QUERY,
    example: { event_name: 'order placed', from: '2026-11-01', to: '2026-11-30', batch_size: 100 },
    reply: Type.Object({
      profiles: Type.Array(PROFILE_VIEW),
      ...NEXT_CURSOR,
    }),
    lane: 'reads',
    handler: listUsersByEvent,
  },
  {
    ...USER,
    method: 'POST',
    path: '/api/v1/user/count',
    summary: 'Counts the profiles that did an event in a stretch of time',
    body: 'json',
    bodySchema: EVENT_QUERY,
    example: { event_name: 'order placed', from: '2026-11-01', to: '2026-11-30' },
    reply: Type.Object({ count: Type.Integer() }),
    lane: 'reads',
    handler: countUsersByEvent,
  },
]
