import { fault } from '../../domain/fault.ts'
import type { Rejection } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import type { Warning } from '../../domain/warning.ts'
import { checkReferences, measureFilter, measureSegment } from '../../intake/segments/size.ts'
import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import type { Db } from '../../store/db.ts'
import {
  archiveSegment,
  changeSegment,
  createSegment,
  listSegments,
  loadSegment,
  type Segment,
  type SegmentChange,
} from '../../store/segments/segments.ts'
import { listSizes } from '../../store/segments/sizes.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { ARCHIVED_FIELD, nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { parseSegmentBody, SEGMENT_RULES } from './body.ts'
import { renderSegment } from './view.ts'
import { nameWarnings } from './warnings.ts'

/** POST /api/v1/segments */
export async function createOneSegment(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseSegmentBody(SEGMENT_RULES.create, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { id, name, filter, warnings } = parsed.value
  if (name === null || filter === null) throw new Error('a segment was accepted without a name or a filter')

  const { brandId } = request.caller
  const draft = { brandId, filter, self: null }
  const sized = await measureFilter(deps, draft)
  if (!sized.ok) return refuse(sized.rejection)
  const size = sized.value
  const notices = [...warnings, ...(await nameWarnings(deps, brandId, filter))]
  return replyOnce(deps, request, async (tx) => {
    const checked = await checkReferences(tx, draft)
    if (!checked.ok) return refuse(checked.rejection)
    const segment = await createSegment(tx, { brandId, id, name, filter, size, now: deps.clock.now() })
    if (segment !== null) return replyWith(segment, notices)
    return refuse({ faults: [fault('segment_exists', 'segment_id', { id: id ?? '' })] })
  })
}

/** GET /api/v1/segments */
export async function listAllSegments({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(SEGMENT_QUERY, query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value

  const { brandId } = caller
  const wanted = { brandId, after, limit, isArchived: value.archived ?? false }
  const page = await database.asBrand(brandId, async (tx) => listSegments(tx, wanted))
  const next = nextCursor(page, ({ id }) => String(id))
  const fields = { segments: page.rows.map(renderSegment), next_cursor: next }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}

/** GET /api/v1/segments/{segment_id}: with the size it has at this moment, which is noted for the list. */
export async function readSegment(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId } = request.caller
  const segment = await findSegment(deps, request)
  if (segment === null) return refuse(notFound(request))

  const size = await measureSegment(deps, { brandId, id: segment.id })
  return replyWith({ ...segment, ...size })
}

/** PATCH /api/v1/segments/{segment_id} */
export async function changeOneSegment(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseSegmentBody(SEGMENT_RULES.change, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { name, filter, warnings } = parsed.value
  const id = parseInt64(param(request, 'segment_id'))
  if (id === null) return refuse(notFound(request))

  const { brandId } = request.caller
  const unused = filter === null ? [] : await nameWarnings(deps, brandId, filter)
  const save = async (tx: Db, sized: SegmentChange['filter']): Promise<Reply> => {
    const change = { name, filter: sized, now: deps.clock.now() }
    const segment = await changeSegment(tx, { brandId, id }, change)
    return segment === null ? refuse(notFound(request)) : replyWith(segment, [...warnings, ...unused])
  }
  if (filter === null) return deps.database.asCaller(request, async (tx) => save(tx, null))

  const draft = { brandId, filter, self: id }
  const size = await measureFilter(deps, draft)
  if (!size.ok) return refuse(size.rejection)
  const sized = { filter, size: size.value }
  return deps.database.asCaller(request, async (tx) => {
    const checked = await checkReferences(tx, draft)
    return checked.ok ? save(tx, sized) : refuse(checked.rejection)
  })
}

/** POST /api/v1/segments/{segment_id}/archive: saying it twice changes nothing. */
export async function archiveOneSegment(deps: Deps, request: TenantRequest): Promise<Reply> {
  const id = parseInt64(param(request, 'segment_id'))
  if (id === null) return refuse(notFound(request))
  const { brandId } = request.caller
  const segment = await deps.database.asCaller(request, async (tx) =>
    archiveSegment(tx, { brandId, id, now: deps.clock.now() }),
  )
  return segment === null ? refuse(notFound(request)) : replyWith(segment)
}

/** GET /api/v1/segments/{segment_id}/sizes */
export async function listSegmentSizes(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(SIZE_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const segment = await findSegment(deps, request)
  if (segment === null) return refuse(notFound(request))

  const { brandId } = request.caller
  const { days: limit = DAYS_DEFAULT } = parsed.value.value
  const sizes = await deps.database.asReader(brandId, async (tx) =>
    listSizes(tx, { brandId, id: segment.id, limit }),
  )
  return replySuccess({ sizes }, { processed: sizes.length, warnings: parsed.value.warnings })
}

export const SEGMENT_QUERY = Type.Object({ ...PAGE_FIELDS, ...ARCHIVED_FIELD })

const DAYS_DEFAULT = 90

export const SIZE_QUERY = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: SEGMENT_LIMITS.sizeDaysKept,
      default: DAYS_DEFAULT,
      description: 'The number of days.',
    }),
  ),
})

export async function findSegment({ database }: Deps, request: TenantRequest): Promise<Segment | null> {
  const id = parseInt64(param(request, 'segment_id'))
  if (id === null) return null
  const { brandId } = request.caller
  return database.asBrand(brandId, async (tx) => loadSegment(tx, { brandId, id }))
}

/** The id is quoted only when it can be one: an address may hold anything. */
export function notFound(request: TenantRequest): Rejection {
  const id = parseInt64(param(request, 'segment_id')) ?? 'with that id'
  return { faults: [fault('segment_not_found', 'segment_id', { id })] }
}

function replyWith(segment: Segment, warnings: readonly Warning[] = []): Reply {
  return replySuccess({ segment: renderSegment(segment) }, { warnings })
}
