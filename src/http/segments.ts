import { fault } from '../domain/fault.ts'
import type { Rejection } from '../domain/result.ts'
import type { Filter } from '../domain/segment.ts'
import { parseFilter } from '../domain/segment-filter.ts'
import type { Warning } from '../domain/warning.ts'
import { countMembers, listMembers, type PlatformCount } from '../store/segment-members.ts'
import {
  archiveSegment,
  changeSegment,
  createSegment,
  listSegments,
  loadSegment,
  type Segment,
  saveSize,
} from '../store/segments.ts'
import type { Deps } from './deps.ts'
import { replyOnce } from './idempotency.ts'
import { parseInt64 } from './int64.ts'
import { nextCursor, PAGE_FIELDS, parsePage } from './page.ts'
import { type Reply, refuse, replySuccess } from './reply.ts'
import { param, type TenantRequest } from './request.ts'
import { parseQuery, Type } from './schema.ts'
import { renderSegment } from './segment-view.ts'
import { renderSubscription } from './subscription-view.ts'
import { parseSegmentBody, SEGMENT_RULES } from './wire/segment-body.ts'

/** POST /api/v1/segments */
export async function createOneSegment(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseSegmentBody(SEGMENT_RULES.create, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { id, name, filter, warnings } = parsed.value
  if (name === null || filter === null) throw new Error('a segment was accepted without a name or a filter')

  const { brandId } = request.caller
  const size = total(await countMembers(deps.database, { brandId, filter }))
  return replyOnce(deps, request, async (tx) => {
    const segment = await createSegment(tx, { brandId, id, name, filter, size, now: deps.clock.now() })
    if (segment !== null) return replyWith(segment, warnings)
    return refuse({ faults: [fault('segment_exists', 'segment_id', { id: id ?? '' })] })
  })
}

/** GET /api/v1/segments */
export async function listAllSegments({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(SEGMENT_QUERY, query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const page = parsePage(value, parseInt64)
  if (!page.ok) return refuse(page.rejection)

  const { brandId } = caller
  const wanted = { brandId, ...page.value, isArchived: value.archived ?? false }
  const segments = await database.asBrand(brandId, async (tx) => listSegments(tx, wanted))
  const next = nextCursor(segments, page.value.limit, ({ id }) => String(id))
  const fields = { segments: segments.map(renderSegment), next_cursor: next }
  return replySuccess(fields, { processed: segments.length, warnings })
}

/** GET /api/v1/segments/{segment_id}: with the size it has at this moment, which is noted for the list. */
export async function readSegment(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId } = request.caller
  const segment = await findSegment(deps, request)
  if (segment === null) return refuse(notFound(request))

  const now = deps.clock.now()
  const size = total(await countMembers(deps.database, { brandId, filter: filterOf(segment) }))
  await deps.database.asBrand(brandId, async (tx) => saveSize(tx, { brandId, id: segment.id }, { size, now }))
  return replyWith({ ...segment, size, sizedAt: now })
}

/** PATCH /api/v1/segments/{segment_id} */
export async function changeOneSegment(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseSegmentBody(SEGMENT_RULES.change, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { name, filter, warnings } = parsed.value
  const id = parseInt64(param(request, 'segment_id'))
  if (id === null) return refuse(notFound(request))

  const { brandId } = request.caller
  const size = filter === null ? 0 : total(await countMembers(deps.database, { brandId, filter }))
  const change = { name, filter: filter === null ? null : { filter, size }, now: deps.clock.now() }
  const segment = await deps.database.asBrand(brandId, async (tx) =>
    changeSegment(tx, { brandId, id }, change),
  )
  return segment === null ? refuse(notFound(request)) : replyWith(segment, warnings)
}

/** POST /api/v1/segments/{segment_id}/archive: saying it twice changes nothing. */
export async function archiveOneSegment(deps: Deps, request: TenantRequest): Promise<Reply> {
  const id = parseInt64(param(request, 'segment_id'))
  if (id === null) return refuse(notFound(request))
  const { brandId } = request.caller
  const segment = await deps.database.asBrand(brandId, async (tx) =>
    archiveSegment(tx, { brandId, id, now: deps.clock.now() }),
  )
  return segment === null ? refuse(notFound(request)) : replyWith(segment)
}

/** POST /api/v1/segments/preview: how many a filter finds, and a few of them, before anything is saved. */
export async function previewSegment({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseSegmentBody(SEGMENT_RULES.preview, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { filter, warnings } = parsed.value
  if (filter === null) throw new Error('a preview was accepted without a filter')

  const wanted = { brandId: request.caller.brandId, filter }
  const counts = await countMembers(database, wanted)
  const sample = await listMembers(database, { ...wanted, afterId: 0n, limit: SAMPLE_SIZE })
  const platforms = Object.fromEntries(counts.map(({ platform, count }) => [platform, count]))
  const fields = { count: total(counts), platforms, sample: sample.map(renderSubscription) }
  return replySuccess(fields, { warnings })
}

/** GET /api/v1/segments/{segment_id}/members */
export async function listSegmentMembers(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(MEMBER_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const page = parsePage(parsed.value.value, parseInt64)
  if (!page.ok) return refuse(page.rejection)
  const segment = await findSegment(deps, request)
  if (segment === null) return refuse(notFound(request))

  const { after, limit } = page.value
  const wanted = { brandId: request.caller.brandId, filter: filterOf(segment), afterId: after ?? 0n, limit }
  const rows = await listMembers(deps.database, wanted)
  const next = nextCursor(rows, limit, ({ id }) => String(id))
  const fields = { subscriptions: rows.map(renderSubscription), next_cursor: next }
  return replySuccess(fields, { processed: rows.length, warnings: parsed.value.warnings })
}

export const SEGMENT_QUERY = Type.Object({
  ...PAGE_FIELDS,
  archived: Type.Optional(
    Type.Boolean({ default: false, description: 'True lists what was archived, and only that.' }),
  ),
})

export const MEMBER_QUERY = Type.Object(PAGE_FIELDS)

const SAMPLE_SIZE = 10

async function findSegment({ database }: Deps, request: TenantRequest): Promise<Segment | null> {
  const id = parseInt64(param(request, 'segment_id'))
  if (id === null) return null
  const { brandId } = request.caller
  return database.asBrand(brandId, async (tx) => loadSegment(tx, { brandId, id }))
}

/** The id is quoted only when it can be one: an address may hold anything. */
function notFound(request: TenantRequest): Rejection {
  const id = parseInt64(param(request, 'segment_id')) ?? 'with that id'
  return { faults: [fault('segment_not_found', 'segment_id', { id })] }
}

/** What was stored was parsed before, so if it does not parse now the mistake is ours. */
function filterOf({ id, filter }: Segment): Filter {
  const parsed = parseFilter(filter, 'filter')
  if (!parsed.ok) throw new Error(`the stored filter of segment ${id} does not parse`)
  return parsed.value
}

function total(counts: readonly PlatformCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

function replyWith(segment: Segment, warnings: readonly Warning[] = []): Reply {
  return replySuccess({ segment: renderSegment(segment) }, { warnings })
}
