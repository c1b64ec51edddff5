import { readsOfRetention } from '../../domain/events/question-cost.ts'
import { countBegun } from '../../domain/events/retention.ts'
import {
  arrangeRetention,
  type RetentionCell,
  type RetentionLine,
} from '../../domain/events/retention-answer.ts'
import { localDay } from '../../domain/values/time-zone.ts'
import type { Warning } from '../../domain/warning.ts'
import { askRetention } from '../../intake/events/walks.ts'
import { EVENT_QUERY_LIMITS } from '../../rules/event-queries.ts'
import { EVENT_READ_LIMITS } from '../../rules/events.ts'
import { areAboutPeople } from '../../store/events/parts.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { cutWarning } from './analytics.ts'
import { DRY_RUN, ESTIMATE_VIEW, replyEstimate } from './estimate.ts'
import { parseWrittenParts, peopleFault } from './parts.ts'
import { PROGRESS, PROGRESS_VIEW, replyWithProgress } from './progress.ts'
import { EVENT_FILTER_FIELDS, parseEventFilter } from './query.ts'

/** GET /api/v1/events/retention */
export async function readRetention(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(RETENTION_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { start_event: startEvent = null, return_event: returnEvent = null, ...query } = parsed.value.value
  const { unit = 'day', periods = EVENT_READ_LIMITS.retentionPeriodsDefault, from, to } = query
  const filter = parseEventFilter({ ...(from && { from }), ...(to && { to }) }, deps, request)
  if (!filter.ok) return refuse(filter.rejection)
  const parts = parseWrittenParts(query.by)
  if (!parts.ok) return refuse(parts.rejection)
  const lacking = peopleFault(request.caller, areAboutPeople(parts.value))
  if (lacking !== null) return refuse({ faults: [lacking] })

  const { brandId, timeZone } = request.caller
  const { fromAt, toAt } = filter.value
  const today = localDay(timeZone, deps.clock.now())
  const groupsMax = query.top ?? EVENT_QUERY_LIMITS.groupsDefault
  const division = parts.value.length === 0 ? null : { parts: parts.value, groupsMax, today }
  const asked = { brandId, startEvent, returnEvent, unit, periods, timeZone, fromAt, toAt, division }
  const reads = readsOfRetention(asked)
  const { warnings } = parsed.value
  if (query.dry_run === true) return replyEstimate(deps, request, { reads, warnings })
  return replyWithProgress(deps, request, { isWanted: query.progress, reads }, async (watch) => {
    const cells = await askRetention(deps, asked, watch)
    return replyRetention(cells, { unit, periods, today, warnings })
  })
}

type RetentionShape = {
  readonly unit: 'day' | 'week'
  readonly periods: number
  readonly today: string
  readonly warnings: readonly Warning[]
}

function replyRetention(
  cells: readonly RetentionCell[],
  { unit, periods, today, warnings }: RetentionShape,
): Reply {
  const cohorts = [...Map.groupBy(cells, ({ cohort }) => cohort)].flatMap(([cohort, own]) =>
    cohort === null ? [] : [{ cohort, own }],
  )
  const max = EVENT_READ_LIMITS.retentionCohortsMax
  const retention = cohorts
    .slice(0, max)
    .map(({ cohort, own }) =>
      renderCohort(cohort, own, { periods, begun: countBegun(unit, { cohort, today }) }),
    )
  const { groups, rest } = arrangeRetention(cells, periods)
  const fields = {
    retention,
    groups: groups.map(({ key, line }) => ({ by: key, ...line })),
    rest: rest === null ? null : { groups: rest.groups, ...rest.line },
  }
  const told = [...warnings, ...cutWarning(cohorts.length, max)]
  return replySuccess(fields, { processed: retention.length, warnings: told })
}

/** A period in which nobody came back is 0; one that has not begun is null. */
function renderCohort(
  cohort: string,
  cells: readonly RetentionCell[],
  { periods, begun }: { readonly periods: number; readonly begun: number },
): object {
  const users = new Map(cells.map((cell) => [cell.period, cell.users]))
  const returned = Array.from(
    { length: periods },
    (_, period) => users.get(period) ?? (period < begun ? 0n : null),
  )
  return { cohort, users: users.get(0) ?? 0n, returned }
}

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
  by: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description:
        'A group for each combination of these values of a person’s first start: as the `by` of a funnel, in JSON.',
    }),
  ),
  top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: EVENT_QUERY_LIMITS.groupsMax,
      default: EVENT_QUERY_LIMITS.groupsDefault,
      description: 'How many groups are shown, the largest first.',
    }),
  ),
  from: EVENT_FILTER_FIELDS.from,
  to: EVENT_FILTER_FIELDS.to,
  dry_run: DRY_RUN,
  progress: PROGRESS,
})

const COUNT = Type.Integer()
const RETURNED = Type.Array(Type.Union([COUNT, Type.Null()]))

const LINE = {
  users: Type.Integer({ description: 'Everybody of the group who started.' }),
  started: Type.Array(COUNT, {
    description: 'For each period, how many of them started so long ago that it has begun.',
  }),
  returned: Type.Array(Type.Union([COUNT, Type.Null()]), {
    description: 'For each period, how many of them came back in it; null if it has begun for nobody.',
  }),
} satisfies Record<keyof RetentionLine, unknown>

export const RETENTION_VIEW = Type.Object({
  retention: Type.Optional(
    Type.Array(
      Type.Object({
        cohort: Type.String({ description: 'The first day of the period of the start.' }),
        users: COUNT,
        returned: RETURNED,
      }),
    ),
  ),
  groups: Type.Optional(
    Type.Array(Type.Object({ by: Type.Array(Type.Unknown()), ...LINE }), {
      description:
        'The people of each group, whenever they started, in the order of their sizes; empty without by.',
    }),
  ),
  rest: Type.Optional(
    Type.Union([Type.Object({ groups: Type.Integer(), ...LINE }), Type.Null()], {
      description: 'All groups that are not shown, as one; null when there are none.',
    }),
  ),
  estimate: ESTIMATE_VIEW,
  progress: PROGRESS_VIEW,
})
