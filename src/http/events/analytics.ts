import { readsOfRetention } from '../../domain/events/question-cost.ts'
import { countBegun } from '../../domain/events/retention.ts'
import { fault } from '../../domain/fault.ts'
import { localDay } from '../../domain/values/time-zone.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { askStats } from '../../intake/events/stats.ts'
import { askRetention } from '../../intake/events/walks.ts'
import { withinLimit } from '../../intake/events/within-limit.ts'
import { EVENT_READ_LIMITS, STATS_GROUPS } from '../../rules/events.ts'
import type { RetentionRow } from '../../store/events/retention.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { DRY_RUN, replyEstimate } from './estimate.ts'
import { PROGRESS, replyWithProgress } from './progress.ts'
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
  const rows = await withinLimit(request, async (signal) => askStats(deps, query, { signal, tell: null }))
  const stats = rows
    .slice(0, max)
    .map(({ key, count, users, ltv }) => ({ [by]: key, count, unique_users: users, ltv }))
  const warnings = [...parsed.value.warnings, ...cutWarning(rows.length, max)]
  return replySuccess({ stats }, { processed: stats.length, warnings })
}

/** A reply that was cut says so, because a caller may add its rows up. */
function cutWarning(found: number, max: number): readonly Warning[] {
  return found > max ? [warning('reply_cut', 'from', { max: String(max) })] : []
}

/** GET /api/v1/events/retention */
export async function readRetention(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(RETENTION_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { start_event: startEvent = null, return_event: returnEvent = null, ...query } = parsed.value.value
  const { unit = 'day', periods = EVENT_READ_LIMITS.retentionPeriodsDefault, from, to } = query
  const filter = parseEventFilter({ ...(from && { from }), ...(to && { to }) }, deps, request)
  if (!filter.ok) return refuse(filter.rejection)

  const { brandId, timeZone } = request.caller
  const { fromAt, toAt } = filter.value
  const asked = { brandId, startEvent, returnEvent, unit, periods, timeZone, fromAt, toAt }
  const reads = readsOfRetention(asked)
  const { warnings } = parsed.value
  if (query.dry_run === true) return replyEstimate(deps, request, { reads, warnings })
  return replyWithProgress(deps, request, { isWanted: query.progress, reads }, async (watch) => {
    const rows = await askRetention(deps, asked, watch)
    const today = localDay(timeZone, deps.clock.now())
    return replyRetention(rows, { unit, periods, today, warnings })
  })
}

type RetentionShape = {
  readonly unit: 'day' | 'week'
  readonly periods: number
  readonly today: string
  readonly warnings: readonly Warning[]
}

function replyRetention(
  rows: readonly RetentionRow[],
  { unit, periods, today, warnings }: RetentionShape,
): Reply {
  const cohorts = [...Map.groupBy(rows, ({ cohort }) => cohort)]
  const max = EVENT_READ_LIMITS.retentionCohortsMax
  const retention = cohorts
    .slice(0, max)
    .map(([cohort, cells]) =>
      renderCohort(cohort, cells, { periods, begun: countBegun(unit, { cohort, today }) }),
    )
  const told = [...warnings, ...cutWarning(cohorts.length, max)]
  return replySuccess({ retention }, { processed: retention.length, warnings: told })
}

/** A period in which nobody came back is 0; one that has not begun is null. */
function renderCohort(
  cohort: string,
  cells: readonly RetentionRow[],
  { periods, begun }: { readonly periods: number; readonly begun: number },
): object {
  const users = new Map(cells.map((cell) => [cell.period, cell.users]))
  const returned = Array.from(
    { length: periods },
    (_, period) => users.get(period) ?? (period < begun ? 0n : null),
  )
  return { cohort, users: users.get(0) ?? 0n, returned }
}

export const STATS_QUERY = Type.Object({
  ...EVENT_FILTER_FIELDS,
  by: Type.Optional(
    Type.Enum([...STATS_GROUPS], {
      description: 'The groups: hours, days, event names or attribute values; day if absent.',
    }),
  ),
})

export const RETENTION_QUERY = Type.Object({
  start_event: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The event that makes a person part of a cohort; any event if absent.',
    }),
  ),
  return_event: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The event that shows that a person came back; any event if absent.',
    }),
  ),
  unit: Type.Optional(Type.Enum(['day', 'week'], { description: 'The length of a period; day if absent.' })),
  periods: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: EVENT_READ_LIMITS.retentionPeriodsMax,
      default: EVENT_READ_LIMITS.retentionPeriodsDefault,
    }),
  ),
  from: EVENT_FILTER_FIELDS.from,
  to: EVENT_FILTER_FIELDS.to,
  dry_run: DRY_RUN,
  progress: PROGRESS,
})
