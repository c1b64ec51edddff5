import { fault } from '../../domain/fault.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { askStats } from '../../intake/events/stats.ts'
import { withinLimit } from '../../intake/events/within-limit.ts'
import { EVENT_READ_LIMITS, STATS_GROUPS } from '../../rules/events.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { EVENT_FILTER_FIELDS, parseEventFilter } from './query.ts'

/** GET /api/v1/events/stats */
export async function readStats(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(STATS_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { by = 'day', attribute = '' } = parsed.value.value
  if (by === 'attribute' && attribute === '') return refuse({ faults: [fault('field_missing', 'attribute')] })
  const filter = parseEventFilter(parsed.value.value, deps, request)
  if (!filter.ok) return refuse(filter.rejection)

  const { timeZone } = request.caller
  const max = EVENT_READ_LIMITS.statsRowsMax
  const query = { filter: filter.value, by, timeZone, attribute, limit: max + 1 }
  const rows = await withinLimit(request, async (limited) =>
    askStats(deps, query, { ...limited, tell: null }),
  )
  const stats = rows
    .slice(0, max)
    .map(({ key, count, users, ltv }) => ({ [by]: key, count, unique_users: users, ltv }))
  const warnings = [...parsed.value.warnings, ...cutWarning(rows.length, max)]
  return replySuccess({ stats }, { processed: stats.length, warnings })
}

/** A reply that was cut says so, because a caller may add its rows up. */
export function cutWarning(found: number, max: number): readonly Warning[] {
  return found > max ? [warning('reply_cut', 'from', { max: String(max) })] : []
}

export const STATS_QUERY = Type.Object({
  ...EVENT_FILTER_FIELDS,
  by: Type.Optional(
    Type.Enum([...STATS_GROUPS], {
      description: 'The groups: hours, days, event names or attribute values; day if absent.',
    }),
  ),
})
