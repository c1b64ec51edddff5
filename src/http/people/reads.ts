import { fault } from '../../domain/fault.ts'
import { accept, type Result } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import { auditAction } from '../../store/brand/audit.ts'
import type { Db } from '../../store/db.ts'
import { listOwnEvents } from '../../store/events/list.ts'
import { countPeople, listPeople } from '../../store/events/people-by-event.ts'
import { loadPerson, loadRecords, type Person } from '../../store/people/person.ts'
import { listMerges } from '../../store/people/unmerging.ts'
import { listDevicesOf } from '../../store/subscriptions/subscriptions.ts'
import type { Deps } from '../deps.ts'
import { parseTimeRange, type TimeRange } from '../fields/time-range.ts'
import { nextCursor, parsePage } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseBody, type Static, Type } from '../schema/schema.ts'
import { parseIdentifiers } from './identifiers.ts'
import { replyPerson } from './person-reply.ts'
import { type PersonRecord, renderProfile } from './view.ts'

/** GET and POST /api/v1/user/userData: all there is about one person. */
export async function readUser(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId, profileMerging: isMerging } = request.caller
  const who = parseIdentifiers(givenNames(request), { isMerging })
  if (!who.ok) return refuse(who.rejection)

  return deps.database.asCaller(request, async (tx) => {
    const person = await loadPerson(tx, { brandId, who: who.value })
    if (person === null) return refuse({ faults: [fault('profile_not_found')] })
    await auditAction(tx, { brandId, action: 'exported', type: 'person', id: String(person.ids[0]) })
    return replyPerson(deps, brandId, await loadRecord(tx, brandId, person))
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
  const next = nextCursor(people, ({ id }) => String(id))
  const fields = { profiles: people.rows.map(renderProfile), next_cursor: next }
  return replySuccess(fields, { processed: people.rows.length, warnings })
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

/** All that the store has about one person, up to a page of each kind. */
async function loadRecord(tx: Db, brandId: number, person: Person): Promise<PersonRecord> {
  const limit = PROFILE_LIMITS.recordsMax
  const profileIds = person.ids
  const [profileId = 0n] = profileIds
  return {
    person,
    merges: await listMerges(tx, { brandId, profileId, limit }),
    devices: await listDevicesOf(tx, { brandId, profileIds, afterId: 0n, limit }),
    events: await listOwnEvents(tx, { brandId, profileIds, before: null, limit }),
    records: await loadRecords(tx, brandId, person),
  }
}

export const PEOPLE_BY_EVENT_BODY = Type.Object({
  event_name: Type.String({ minLength: 1 }),
  from: Type.String({ description: 'The first day, or a time.' }),
  to: Type.String({ description: 'The last day, or the time before which events count.' }),
  batch_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PROFILE_LIMITS.batchSizeMax,
      default: PROFILE_LIMITS.batchSizeDefault,
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 500, description: 'The next_cursor of the previous page.' }),
  ),
})

type EventQuery = {
  readonly eventName: string
  readonly range: TimeRange
  readonly after: bigint | null
  readonly limit: number
  readonly warnings: readonly Warning[]
}

function parseEventQuery({ clock }: Deps, { body, caller }: TenantRequest): Result<EventQuery> {
  const parsed = parseBody(PEOPLE_BY_EVENT_BODY, body)
  if (!parsed.ok) return parsed
  const given: Static<typeof PEOPLE_BY_EVENT_BODY> = parsed.value.value
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
