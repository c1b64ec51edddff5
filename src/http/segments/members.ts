import type { Result } from '../../domain/result.ts'
import type { Filter } from '../../domain/segments/segment.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { prepareFilter } from '../../intake/segments/size.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { resolveFilter } from '../../store/segments/filters.ts'
import { listMembers } from '../../store/segments/members.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, type PageRequest, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { type ParsedBody, parseQuery, type Static, Type } from '../schema/schema.ts'
import { renderSubscription } from '../subscriptions/view.ts'
import { parseSegmentBody, SEGMENT_RULES } from './body.ts'
import { findSegment, notFound } from './segments.ts'

/** GET /api/v1/segments/{segment_id}/members */
export async function listSegmentMembers(deps: Deps, request: TenantRequest): Promise<Reply> {
  const asked = parseMembers(request)
  if (!asked.ok) return refuse(asked.rejection)
  const segment = await findSegment(deps, request)
  if (segment === null) return refuse(notFound(request))

  const { brandId } = request.caller
  const filter = await resolveFilter(deps.database, brandId, { kind: 'segment', id: segment.id })
  return replyMembers(deps, { brandId, filter }, asked.value)
}

/** POST /api/v1/segments/preview/members: all whom a filter finds, page by page, before anything is saved. */
export async function previewMembers(deps: Deps, request: TenantRequest): Promise<Reply> {
  const asked = parseMembers(request)
  if (!asked.ok) return refuse(asked.rejection)
  const parsed = parseSegmentBody(SEGMENT_RULES.members, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { filter: written, warnings } = parsed.value
  if (written === null) throw new Error('members were asked for without a filter')

  const { brandId } = request.caller
  const filter = await prepareFilter(deps, { brandId, filter: written, self: null })
  if (!filter.ok) return refuse(filter.rejection)
  const list = { ...asked.value, warnings: [...warnings, ...asked.value.warnings] }
  return replyMembers(deps, { brandId, filter: filter.value }, list)
}

export const MEMBER_QUERY = Type.Object({
  ...PAGE_FIELDS,
  platform: Type.Optional(
    Type.Enum([...PLATFORM_NAMES], { description: 'Only the devices of this platform.' }),
  ),
})

type MemberList = ParsedBody<Static<typeof MEMBER_QUERY>> & PageRequest<bigint>

function parseMembers({ query }: TenantRequest): Result<MemberList> {
  return parseList(parseQuery(MEMBER_QUERY, query), parseInt64)
}

async function replyMembers(
  { database, clock }: Deps,
  of: { readonly brandId: number; readonly filter: Filter },
  { value, after, limit, warnings }: MemberList,
): Promise<Reply> {
  const wanted = { ...of, now: clock.now(), afterId: after ?? 0n, limit, platform: value.platform }
  const page = await database.asEngine(async (tx) => listMembers(tx, wanted))
  const next = nextCursor(page, ({ id }) => String(id))
  const fields = { subscriptions: page.rows.map(renderSubscription), next_cursor: next }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}
