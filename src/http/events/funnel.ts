import { arrangeFunnel, type FunnelCell, type ReachedStep } from '../../domain/events/funnel-answer.ts'
import { readsOfFunnel } from '../../domain/events/question-cost.ts'
import type { Warning } from '../../domain/warning.ts'
import { askFunnel } from '../../intake/events/walks.ts'
import { EVENT_QUERY_LIMITS } from '../../rules/event-queries.ts'
import { EVENT_READ_LIMITS } from '../../rules/events.ts'
import { areAboutPeople } from '../../store/events/parts.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseBody, Type } from '../schema/schema.ts'
import { DRY_RUN, ESTIMATE_VIEW, replyEstimate } from './estimate.ts'
import { EVENT_PART, parseParts, peopleFault } from './parts.ts'
import { PROGRESS, PROGRESS_VIEW, replyWithProgress } from './progress.ts'
import { EVENT_FILTER_FIELDS, parseEventFilter } from './query.ts'

/** POST /api/v1/events/funnel */
export async function readFunnel(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(FUNNEL_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { steps, within, from, to, by = [], exclude = [], top } = parsed.value.value
  const { warnings } = parsed.value
  const filter = parseEventFilter({ ...(from && { from }), ...(to && { to }) }, deps, request)
  if (!filter.ok) return refuse(filter.rejection)
  const parts = parseParts(by)
  if (!parts.ok) return refuse(parts.rejection)
  const lacking = peopleFault(request.caller, areAboutPeople(parts.value))
  if (lacking !== null) return refuse({ faults: [lacking] })

  const { brandId } = request.caller
  const { fromAt, toAt } = filter.value
  const groupsMax = top ?? EVENT_QUERY_LIMITS.groupsDefault
  const range = { fromAt, toAt, withinMs: within * 1000 }
  const query = { brandId, steps, excluded: exclude, ...range, parts: parts.value, groupsMax }
  const reads = readsOfFunnel(query)
  const { dry_run: isDry, progress: isWanted } = parsed.value.value
  if (isDry === true) return replyEstimate(deps, request, { reads, warnings })
  return replyWithProgress(deps, request, { isWanted, reads }, async (watch) =>
    replyFunnel(steps, await askFunnel(deps, query, watch), warnings),
  )
}

function replyFunnel(
  steps: readonly string[],
  cells: readonly FunnelCell[],
  warnings: readonly Warning[],
): Reply {
  const { all, groups, rest } = arrangeFunnel(cells, steps.length)
  const fields = {
    funnel: steps.map((step, at) => ({ event_name: step, ...all[at] })),
    groups: groups.map(({ key, steps: reached }) => ({ by: key, steps: reached })),
    rest,
  }
  return replySuccess(fields, { processed: all.length, warnings })
}

export const FUNNEL_BODY = Type.Object({
  steps: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 2,
    maxItems: EVENT_READ_LIMITS.funnelStepsMax,
    description: 'Event names, in order.',
  }),
  within: Type.Integer({
    minimum: 1,
    maximum: EVENT_READ_LIMITS.funnelWithinSecondsMax,
    description: 'The most seconds from the first step to the last.',
  }),
  exclude: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      maxItems: EVENT_READ_LIMITS.funnelStepsMax,
      description:
        'Event names. A step does not count for a person who did one of these after the first step and before it.',
    }),
  ),
  by: Type.Optional(
    Type.Array(EVENT_PART, {
      maxItems: EVENT_QUERY_LIMITS.partsMax,
      description: 'A group for each combination of these values of a person’s first event.',
    }),
  ),
  top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: EVENT_QUERY_LIMITS.groupsMax,
      description: `How many groups are shown, the largest first; ${EVENT_QUERY_LIMITS.groupsDefault} if absent.`,
    }),
  ),
  from: EVENT_FILTER_FIELDS.from,
  to: EVENT_FILTER_FIELDS.to,
  dry_run: DRY_RUN,
  progress: PROGRESS,
})

const REACHED = {
  users: Type.Integer(),
  seconds: Type.Union([Type.Number(), Type.Null()], {
    description: 'The median of the time from the first step; null at the first step, and where nobody came.',
  }),
} satisfies Record<keyof ReachedStep, unknown>
const STEPS = Type.Array(Type.Object(REACHED))

export const FUNNEL_VIEW = Type.Object({
  funnel: Type.Optional(Type.Array(Type.Object({ event_name: Type.String(), ...REACHED }))),
  groups: Type.Optional(
    Type.Array(Type.Object({ by: Type.Array(Type.Unknown()), steps: STEPS }), {
      description: 'The same for each group, in the order of their sizes; empty without by.',
    }),
  ),
  rest: Type.Optional(
    Type.Union([Type.Object({ groups: Type.Integer(), steps: STEPS }), Type.Null()], {
      description: 'All groups that are not shown, as one; null when there are none.',
    }),
  ),
  estimate: ESTIMATE_VIEW,
  progress: PROGRESS_VIEW,
})
