import { planNewBrand } from '../../domain/brand/brand.ts'
import { fault } from '../../domain/fault.ts'
import { BRAND_DELETION } from '../../rules/brand.ts'
import { memberAuthor } from '../../store/brand/audit.ts'
import { createBrand, loadKeptBrand } from '../../store/brand/brands.ts'
import { restoreBrand, stopBrand } from '../../store/brand/deletion.ts'
import { listVisibleBrands, loadVisibleBrand } from '../../store/brand/listed-brands.ts'
import { addMembership } from '../../store/team/memberships.ts'
import { BRAND_CHANGES, NEW_BRAND } from '../brand/body.ts'
import { saveBrandChanges } from '../brand/brand.ts'
import { renderListedBrand } from '../brand/view.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param } from '../request.ts'
import { parseBody, parseQuery, Type } from '../schema/schema.ts'
import { instantOf } from '../schema/view.ts'
import type { MemberRequest } from '../team/member-handler.ts'

export const BRANDS_QUERY = Type.Object(PAGE_FIELDS)

/** GET /api/v1/brands */
export async function listMyBrands({ database }: Deps, { member, query }: MemberRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(BRANDS_QUERY, query), (text) => text)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { after, limit, warnings } = parsed.value
  const brands = await listVisibleBrands(database, member, { after: after ?? '', limit })
  const page = { rows: brands, hasMore: brands.length === limit }
  const fields = {
    brands: brands.map(renderListedBrand),
    next_cursor: nextCursor(page, ({ externalId }) => externalId),
  }
  return replySuccess(fields, { processed: brands.length, warnings })
}

/** POST /api/v1/brands: whoever makes a brand owns it. */
export async function makeBrand(deps: Deps, request: MemberRequest): Promise<Reply> {
  const parsed = parseBody(NEW_BRAND, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { brand_id: externalId, name = externalId, time_zone: timeZone = 'UTC' } = parsed.value.value
  const plan = planNewBrand({ name, timeZone })
  if (!plan.ok) return refuse(plan.rejection)
  const now = deps.clock.now()
  const { memberId } = request.member
  const isMade = await deps.database.asEngine(
    async (tx) => {
      const brand = await createBrand(tx, { externalId, ...plan.value, now })
      if (brand === null) return false
      return addMembership(tx, { brandId: brand.id, memberId, role: 'owner', now, isAccepted: true })
    },
    memberAuthor(request, request.member.memberId),
  )
  if (!isMade) return refuse({ faults: [fault('brand_exists', 'brand_id')] })
  return replyBrand(deps, request, externalId)
}

/** PATCH /api/v1/brands/{brand_id}: the settings of PATCH /api/v1/brand, for an administrator without a role there. */
export async function changeAnyBrand(deps: Deps, request: MemberRequest): Promise<Reply> {
  const parsed = parseBody(BRAND_CHANGES, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const brand = await loadKeptBrand(deps.database, param(request, 'brand_id'))
  if (brand === null) return refuse(NOT_FOUND)
  const { id: brandId, externalId: brandExternalId, restorableUntil } = brand
  if (restorableUntil !== null) {
    return refuse({ faults: [fault('brand_deleting', null, { until: instantOf(restorableUntil) })] })
  }
  const author = memberAuthor(request, request.member.memberId)
  const caller = { ...author.caller, brandId, brandExternalId }
  return saveBrandChanges(deps, { ...author, caller }, parsed.value)
}

/** DELETE /api/v1/brands/{brand_id}: of two calls, the first decides until when the brand can be restored. */
export async function beginDeletion(deps: Deps, request: MemberRequest): Promise<Reply> {
  const externalId = param(request, 'brand_id')
  const now = deps.clock.now()
  const until = now + BRAND_DELETION.graceDays * DAY_MS
  await stopBrand(deps.database, {
    externalId,
    now,
    until,
    author: memberAuthor(request, request.member.memberId),
  })
  return replyBrand(deps, request, externalId)
}

/** POST /api/v1/brands/{brand_id}/restore: a live brand stays as it is. */
export async function endDeletion(deps: Deps, request: MemberRequest): Promise<Reply> {
  const externalId = param(request, 'brand_id')
  const now = deps.clock.now()
  await restoreBrand(deps.database, {
    externalId,
    now,
    author: memberAuthor(request, request.member.memberId),
  })
  const brand = await loadVisibleBrand(deps.database, request.member, externalId)
  // The brand is stopped still, so its time was over.
  if (brand === null || brand.restorableUntil !== null) return refuse(NOT_FOUND)
  return replySuccess({ brand: renderListedBrand(brand) })
}

const DAY_MS = 86_400_000
const NOT_FOUND = { faults: [fault('brand_not_found')] } as const

async function replyBrand({ database }: Deps, { member }: MemberRequest, externalId: string): Promise<Reply> {
  const brand = await loadVisibleBrand(database, member, externalId)
  return brand === null ? refuse(NOT_FOUND) : replySuccess({ brand: renderListedBrand(brand) })
}
