import { readsOfPaths } from '../../domain/events/question-cost.ts'
import { askPaths } from '../../intake/events/walks.ts'
import { EVENT_QUERY_LIMITS } from '../../rules/event-queries.ts'
import { EVENT_READ_LIMITS } from '../../rules/events.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { DRY_RUN, ESTIMATE_VIEW, replyEstimate } from './estimate.ts'
import { PROGRESS, PROGRESS_VIEW, replyWithProgress } from './progress.ts'
import { EVENT_FILTER_FIELDS, parseEventFilter } from './query.ts'

/** GET /api/v1/events/paths */
export async function readPaths(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(PATH_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { event_name: startEvent, depth, within, top, from, to } = parsed.value.value
  const { dry_run: isDry, progress: isWanted } = parsed.value.value
  const { warnings } = parsed.value
  const filter = parseEventFilter({ ...(from && { from }), ...(to && { to }) }, deps, request)
  if (!filter.ok) return refuse(filter.rejection)

  const { brandId } = request.caller
  const { fromAt, toAt } = filter.value
  const query = {
    brandId,
    startEvent,
    depth: depth ?? EVENT_QUERY_LIMITS.pathDepthDefault,
    withinMs: (within ?? EVENT_QUERY_LIMITS.pathSecondsDefault) * 1000,
    fromAt,
    toAt,
    pathsMax: top ?? EVENT_QUERY_LIMITS.groupsDefault,
  }
  const reads = readsOfPaths(query)
  if (isDry === true) return replyEstimate(deps, request, { reads, warnings })
  return replyWithProgress(deps, request, { isWanted, reads }, async (watch) => {
    const { shown, paths, users } = await askPaths(deps, query, watch)
    const others = users - shown.reduce((sum, path) => sum + path.users, 0)
    const rest = paths > shown.length ? { paths: paths - shown.length, users: others } : null
    return replySuccess({ users, paths: shown, rest }, { processed: shown.length, warnings })
  })
}

export const PATH_QUERY = Type.Object({
  event_name: Type.String({ minLength: 1, description: 'The event that the paths begin after.' }),
  depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: EVENT_QUERY_LIMITS.pathDepthMax,
      default: EVENT_QUERY_LIMITS.pathDepthDefault,
      description: 'How many events of a path are looked at.',
    }),
  ),
  within: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: EVENT_READ_LIMITS.funnelWithinSecondsMax,
      default: EVENT_QUERY_LIMITS.pathSecondsDefault,
      description: 'Seconds after the first event in which a path ends.',
    }),
  ),
  top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: EVENT_QUERY_LIMITS.groupsMax,
      default: EVENT_QUERY_LIMITS.groupsDefault,
      description: 'How many paths are shown, the most frequent first.',
    }),
  ),
  from: EVENT_FILTER_FIELDS.from,
  to: EVENT_FILTER_FIELDS.to,
  dry_run: DRY_RUN,
  progress: PROGRESS,
})

export const PATHS_VIEW = Type.Object({
  users: Type.Optional(Type.Integer({ description: 'The people who did the first event.' })),
  paths: Type.Optional(
    Type.Array(
      Type.Object({
        events: Type.Array(Type.String(), {
          description: 'The names of the next events, in order; empty for people who did nothing more.',
        }),
        users: Type.Integer(),
      }),
    ),
  ),
  rest: Type.Optional(
    Type.Union([Type.Object({ paths: Type.Integer(), users: Type.Integer() }), Type.Null()], {
      description: 'All paths that are not shown, as one; null when there are none.',
    }),
  ),
  estimate: ESTIMATE_VIEW,
  progress: PROGRESS_VIEW,
})
