import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { parseWhere } from '../../domain/segments/filter.ts'
import type { Filter, WrittenFilter } from '../../domain/segments/segment.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { prepareFilter } from '../../intake/segments/size.ts'
import { EVENT_QUERY_LIMITS } from '../../rules/event-queries.ts'
import type { EventGroups, EventRowFilter } from '../../store/events/list.ts'
import { areAboutPeople } from '../../store/events/parts.ts'
import type { Deps } from '../deps.ts'
import type { Caller, TenantRequest } from '../request.ts'
import { parseBody, type Static, Type } from '../schema/schema.ts'
import { nameWarnings } from '../segments/warnings.ts'
import { EVENT_PART, jsonIn, PEOPLE_PATH, parseParts, parsePeople, peopleFault } from './parts.ts'
import { EVENT_FILTER_FIELDS, parseEventFilter } from './query.ts'

/** The query of the rows behind a number of `POST /api/v1/events/query`. */
export const EVENT_ROW_FIELDS = {
  ...EVENT_FILTER_FIELDS,
  by: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description:
        'The `by` of a question to `POST /api/v1/events/query`, as JSON. It goes with `group` or `other_than`.',
    }),
  ),
  group: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description: 'Only events of this group: the `by` of a group in the answer, as JSON.',
    }),
  ),
  other_than: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description:
        'Only events of none of these groups: the list of the `by` of every group in the answer, as JSON. They are the events of its `rest`.',
    }),
  ),
  where: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description: 'Only events that meet the `where` of a question to `POST /api/v1/events/query`, as JSON.',
    }),
  ),
  mistyped: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Only events with a mistyped value of this attribute. They have these values, as `mistyped`, beside their attributes.',
    }),
  ),
  segment_id: Type.Optional(
    Type.String({
      maxLength: 20,
      description: 'Only events of people who are in this segment now. Needs profiles:read.',
    }),
  ),
  people: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description:
        'Only events of people whom the `people` of a question to `POST /api/v1/events/query` finds now, as JSON. It does not go with `segment_id`. Needs profiles:read.',
    }),
  ),
}

const ROW_QUERY = Type.Object(EVENT_ROW_FIELDS)

/** The rows that are meant, and what is to be said of the names in `people`. */
type AskedRows = { readonly filter: EventRowFilter; readonly warnings: readonly Warning[] }

export async function parseEventRows(
  query: Static<typeof ROW_QUERY>,
  deps: Deps,
  request: TenantRequest,
): Promise<Result<AskedRows>> {
  const filter = parseEventFilter(query, deps, request)
  if (!filter.ok) return filter
  const groups = parseGroups(query)
  if (!groups.ok) return groups
  const parts = groups.value?.parts ?? []
  const isAboutPeople = query.segment_id !== undefined || query.people !== undefined || areAboutPeople(parts)
  const lacking = peopleFault(request.caller, isAboutPeople)
  if (lacking !== null) return reject(lacking)
  const where = query.where === undefined ? accept([]) : parseWhere(jsonIn(query.where), 'where')
  if (!where.ok) return where
  const people = await loadPeople(query, deps, request.caller)
  if (!people.ok) return people
  const now = deps.clock.now()
  const found = people.value.filter === null ? null : { people: people.value.filter, now }
  const mistyped = query.mistyped ?? null
  return accept({
    filter: { ...filter.value, groups: groups.value, where: where.value, mistyped, now, people: found },
    warnings: people.value.warnings,
  })
}

type AskedPeople = { readonly filter: Filter | null; readonly warnings: readonly Warning[] }

/** The people whose events are meant: those of a segment, those whom a filter finds, or everybody. */
async function loadPeople(
  { segment_id: segment, people: written }: Static<typeof ROW_QUERY>,
  deps: Deps,
  { brandId }: Caller,
): Promise<Result<AskedPeople>> {
  if (segment === undefined) {
    const given = parsePeople(written === undefined ? null : jsonIn(written))
    return given.ok ? filterOf(deps, brandId, given.value) : given
  }
  if (written !== undefined)
    return reject(fault('field_conflict', 'people', { detail: 'it does not go with segment_id' }))
  const id = parseInt64(segment)
  const found =
    id === null ? null : await prepareFilter(deps, { brandId, filter: { kind: 'segment', id }, self: null })
  if (found === null || !found.ok) return reject(fault('segment_not_found', 'segment_id', { id: segment }))
  return accept({ filter: found.value, warnings: [] })
}

async function filterOf(
  deps: Deps,
  brandId: number,
  written: WrittenFilter | null,
): Promise<Result<AskedPeople>> {
  if (written === null) return accept({ filter: null, warnings: [] })
  const filter = await prepareFilter(deps, { brandId, filter: written, self: null }, PEOPLE_PATH)
  if (!filter.ok) return filter
  return accept({ filter: filter.value, warnings: await nameWarnings(deps, brandId, written, PEOPLE_PATH) })
}

const VALUES = Type.Array(Type.Unknown(), { minItems: 1, maxItems: EVENT_QUERY_LIMITS.partsMax })
const GROUPS = Type.Object({
  by: Type.Array(EVENT_PART, { minItems: 1, maxItems: EVENT_QUERY_LIMITS.partsMax }),
  group: Type.Optional(VALUES),
  other_than: Type.Optional(Type.Array(VALUES, { minItems: 1, maxItems: EVENT_QUERY_LIMITS.groupsMax })),
})

/** One group, or all but some. */
function parseGroups(query: Static<typeof ROW_QUERY>): Result<EventGroups | null> {
  const { by, group, other_than: others } = query
  if (by === undefined && group === undefined && others === undefined) return accept(null)
  if (by === undefined) return reject(fault('field_missing', 'by'))
  if (group === undefined && others === undefined) return reject(fault('field_missing', 'group'))
  if (group !== undefined && others !== undefined)
    return reject(fault('field_conflict', 'other_than', { detail: 'it does not go with group' }))
  const parsed = parseBody(GROUPS, {
    by: jsonIn(by),
    ...(group === undefined ? {} : { group: jsonIn(group) }),
    ...(others === undefined ? {} : { other_than: jsonIn(others) }),
  })
  if (!parsed.ok) return parsed
  const { value } = parsed.value
  const parts = parseParts(value.by)
  if (!parts.ok) return parts
  const isOneOf = value.group !== undefined
  const groups = value.group === undefined ? (value.other_than ?? []) : [value.group]
  if (groups.some((values) => values.length !== parts.value.length)) {
    const detail = 'it must have a value for each part of by'
    return reject(fault('field_invalid', isOneOf ? 'group' : 'other_than', { detail }))
  }
  return accept({ parts: parts.value, keys: groups.map((values) => encodeJson(values)), isOneOf })
}
