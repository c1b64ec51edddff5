import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import { listSizes } from '../../store/segments/sizes.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { findSegment, notFound } from './segments.ts'

/** GET /api/v1/segments/{segment_id}/sizes */
export async function listSegmentSizes(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(SIZE_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const segment = await findSegment(deps, request)
  if (segment === null) return refuse(notFound(request))

  const { brandId } = request.caller
  const { days: limit = DAYS_DEFAULT } = parsed.value.value
  const sizes = await deps.database.asBrand(brandId, async (tx) =>
    listSizes(tx, { brandId, id: segment.id, limit }),
  )
  return replySuccess({ sizes }, { processed: sizes.length, warnings: parsed.value.warnings })
}

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

export const SIZE_VIEW = Type.Object({
  day: Type.String({ format: 'date' }),
  size: Type.Integer({ description: 'The number of live subscriptions.' }),
})
