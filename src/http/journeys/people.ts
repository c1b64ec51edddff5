import { parseInt64 } from '../../domain/values/int64.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import { type JourneyInsider, listInsiders } from '../../store/journeys/people-list.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { INSTANT, INSTANT_OR_NULL, instantOf, instantOrNull, TEXT_OR_NULL } from '../schema/view.ts'
import { ofJourney } from './reads.ts'

/** GET /api/v1/journeys/{journey_id}/people */
export async function readInsiders(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(INSIDER_QUERY, request.query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after: beforeId, limit, warnings } = parsed.value
  const { state = 'active', step = null, version = null, search = null } = value
  return ofJourney(deps, request, async (tx, ref) => {
    const page = await listInsiders(tx, { ...ref, state, step, version, search, beforeId, limit })
    const next = nextCursor(page, ({ id }) => String(id))
    const fields = { people: page.rows.map(renderInsider), next_cursor: next }
    return replySuccess(fields, { processed: page.rows.length, warnings })
  })
}

export const INSIDER_QUERY = Type.Object({
  ...PAGE_FIELDS,
  step: Type.Optional(
    Type.String({ maxLength: JOURNEY_LIMITS.stepIdCharsMax, description: 'Only people at this step.' }),
  ),
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: JOURNEY_LIMITS.versionsMax,
      description: 'Only people who entered on this version, and so finish on it.',
    }),
  ),
  state: Type.Optional(
    Type.Enum(['active', 'completed', 'goal', 'exited', 'all'], {
      description:
        'People inside, those who left in this way, or all who entered, as far as they are kept; active if absent.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The beginning of a user id, an email or a mobile number, in any letter case.',
    }),
  ),
})

function renderInsider(insider: JourneyInsider): object {
  return {
    enrolment_id: insider.id,
    user_id: insider.userId,
    version: insider.version,
    state: insider.state,
    step: insider.step,
    is_waiting: insider.isWaiting,
    entered_at: instantOf(insider.enteredAt),
    step_at: instantOf(insider.stepAt),
    next_at: instantOrNull(insider.wakeAt),
  }
}

export const INSIDER_VIEW = Type.Object({
  enrolment_id: Type.Integer({ format: 'int64' }),
  user_id: TEXT_OR_NULL,
  version: Type.Integer(),
  state: Type.String({ enum: ['active', 'completed', 'goal', 'exited'] }),
  step: TEXT_OR_NULL,
  is_waiting: Type.Boolean({
    description: 'Whether the person waits in the step, and is not about to take it.',
  }),
  entered_at: INSTANT,
  step_at: Type.String({ format: 'date-time', description: 'Since when the person is there, or has left.' }),
  next_at: INSTANT_OR_NULL,
})
