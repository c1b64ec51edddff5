import { countBegun } from '../../domain/events/retention.ts'
import { fault } from '../../domain/fault.ts'
import { localDay } from '../../domain/values/time-zone.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { EVENT_READ_LIMITS, STATS_GROUPS } from '../../rules/events.ts'
import { loadFunnel } from '../../store/events/funnel.ts'
import { loadRetention, type RetentionRow } from '../../store/events/retention.ts'
import { loadStats } from '../../store/events/stats.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { parseBody, parseQuery, Type } from '../schema/schema.ts'
import { EVENT_FILTER_FIELDS, parseEventFilter } from './query.ts'

/** GET /api/v1/events/stats */
export async function readStats(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(STATS_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { by = 'day', attribute = '' } = parsed.value.value
  if (by === 'attribute' && attribute === '') return refuse({ faults: [fault('field_missing', 'attribute')] })
  const filter = parseEventFilter(parsed.value.value, deps, request)
  if (!filter.ok) return refuse(filter.rejection)

  const { brandId, timeZone } = request.caller
  const max = EVENT_READ_LIMITS.statsRowsMax
  const rows = await deps.database.asBrand(brandId, async (tx) =>
    loadStats(tx, { filter: filter.value, by, timeZone, attribute, limit: max + 1 }),
  )
  const stats = rows
    .slice(0, max)
    .map(({ key, count, users, ltv }) => ({ [by]: key, count, unique_users: users, ltv }))
  const warnings = [...parsed.value.warnings, ...cutWarning(rows.length, max)]
  return replySuccess({ stats }, { processed: stats.length, warnings })
}

/** Whoever adds up what a reply shows must know that it is not all. */
function cutWarning(found: number, max: number): readonly Warning[] {
  return found > max ? [warning('reply_cut', 'from', { max: String(max) })] : []
}

/** POST /api/v1/events/funnel */
export async function readFunnel(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(FUNNEL, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { steps, within, from, to } = parsed.value.value
  const filter = parseEventFilter({ ...(from && { from }), ...(to && { to }) }, deps, request)
  if (!filter.ok) return refuse(filter.rejection)

  const { brandId } = request.caller
  const { fromAt, toAt } = filter.value
  const counts = await deps.database.asBrand(brandId, async (tx) =>
    loadFunnel(tx, { brandId, steps, withinMs: within * 1000, fromAt, toAt }),
  )
  const funnel = steps.map((step, at) => ({ event_name: step, users: counts[at] ?? 0n }))
  return replySuccess({ funnel }, { processed: funnel.length, warnings: parsed.value.warnings })
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
  const rows = await deps.database.asBrand(brandId, async (tx) =>
    loadRetention(tx, { brandId, startEvent, returnEvent, unit, periods, timeZone, fromAt, toAt }),
  )
  const today = localDay(timeZone, deps.clock.now())
  const cohorts = [...Map.groupBy(rows, ({ cohort }) => cohort)]
  const max = EVENT_READ_LIMITS.retentionCohortsMax
  const retention = cohorts
    .slice(0, max)
    .map(([cohort, cells]) =>
      renderCohort(cohort, cells, { periods, begun: countBegun(unit, { cohort, today }) }),
    )
  const warnings = [...parsed.value.warnings, ...cutWarning(cohorts.length, max)]
  return replySuccess({ retention }, { processed: retention.length, warnings })
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

const STATS_QUERY = Type.Object({
  ...EVENT_FILTER_FIELDS,
  by: Type.Optional(
    Type.Enum([...STATS_GROUPS], {
      description: 'What is counted apart: hours, days, names or values; day, if absent.',
    }),
  ),
})

const FUNNEL = Type.Object({
  steps: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 2,
    maxItems: EVENT_READ_LIMITS.funnelStepsMax,
    description: 'Event names, in the order people should do them.',
  }),
  within: Type.Integer({
    minimum: 1,
    maximum: EVENT_READ_LIMITS.funnelWithinSecondsMax,
    description: 'Seconds from the first step to the last.',
  }),
  from: EVENT_FILTER_FIELDS.from,
  to: EVENT_FILTER_FIELDS.to,
})

const RETENTION_QUERY = Type.Object({
  start_event: Type.Optional(
    Type.String({ minLength: 1, description: 'What makes people part of a cohort; any event, if absent.' }),
  ),
  return_event: Type.Optional(
    Type.String({ minLength: 1, description: 'What shows that they came back; any event, if absent.' }),
  ),
  unit: Type.Optional(Type.Enum(['day', 'week'], { description: 'How long a period is; day, if absent.' })),
  periods: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: EVENT_READ_LIMITS.retentionPeriodsMax,
      default: EVENT_READ_LIMITS.retentionPeriodsDefault,
    }),
  ),
  from: EVENT_FILTER_FIELDS.from,
  to: EVENT_FILTER_FIELDS.to,
})

const EVENTS = { group: 'Events', scopes: ['events'], lane: 'reads' } as const
const COUNT = Type.Integer()

export const EVENT_ANALYTICS_ROUTES: readonly Route[] = [
  {
    ...EVENTS,
    method: 'GET',
    path: '/api/v1/events/stats',
    summary: 'Counts events and the people who did them',
    description: `Each row has what it is counted by, under the name that \`by\` says. Time runs forward; names and values come most frequent first. A warning \`reply_cut\` tells that there are more than ${EVENT_READ_LIMITS.statsRowsMax} rows.`,
    body: 'none',
    querySchema: STATS_QUERY,
    reply: Type.Object({
      stats: Type.Array(
        Type.Object({
          hour: Type.Optional(Type.String({ description: 'yyyy-MM-dd HH:00 in the zone of the brand.' })),
          day: Type.Optional(Type.String({ description: 'yyyy-MM-dd in the zone of the brand.' })),
          name: Type.Optional(Type.String({ description: 'The name of the event.' })),
          attribute: Type.Optional(Type.Unknown({ description: 'The value of the attribute.' })),
          count: COUNT,
          unique_users: COUNT,
          ltv: Type.String(),
        }),
      ),
    }),
    handler: readStats,
  },
  {
    ...EVENTS,
    method: 'POST',
    path: '/api/v1/events/funnel',
    summary: 'Tells how far people come on a way of several events',
    description: 'From each person’s first start, every step at its first chance after the one before.',
    body: 'json',
    bodySchema: FUNNEL,
    example: { steps: ['signup', 'otp_verified', 'first_purchase'], within: 604_800 },
    reply: Type.Object({ funnel: Type.Array(Type.Object({ event_name: Type.String(), users: COUNT })) }),
    handler: readFunnel,
  },
  {
    ...EVENTS,
    method: 'GET',
    path: '/api/v1/events/retention',
    summary: 'Tells how many of those who started in a period came back later',
    description:
      'The first number of `returned` is the period they started in; null is one that has not begun.',
    body: 'none',
    querySchema: RETENTION_QUERY,
    reply: Type.Object({
      retention: Type.Array(
        Type.Object({
          cohort: Type.String({ description: 'The first day of the period they started in.' }),
          users: COUNT,
          returned: Type.Array(Type.Union([COUNT, Type.Null()])),
        }),
      ),
    }),
    handler: readRetention,
  },
]
