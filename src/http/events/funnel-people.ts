import { fault } from '../../domain/fault.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { EVENT_READ_LIMITS } from '../../rules/events.ts'
import { listFunnelPeople } from '../../store/events/funnel-people.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseBody, parseQuery, Type } from '../schema/schema.ts'
import { FUNNEL_BODY } from './funnel.ts'
import { personRowsView, renderPersonRow } from './person-row.ts'
import { parseEventFilter } from './query.ts'

/** POST /api/v1/events/funnel/people: the people behind a number of a funnel. */
export async function readFunnelPeople(deps: Deps, request: TenantRequest): Promise<Reply> {
  const page = parseList(parseQuery(FUNNEL_PEOPLE_QUERY, request.query), parseInt64)
  if (!page.ok) return refuse(page.rejection)
  const parsed = parseBody(FUNNEL_PEOPLE_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { steps, step, did = 'reached', within, exclude = [], from, to } = parsed.value.value
  if (step > steps.length || (did === 'stopped' && step === 1)) return refuse(NO_SUCH_STEP)
  const filter = parseEventFilter({ ...(from && { from }), ...(to && { to }) }, deps, request)
  if (!filter.ok) return refuse(filter.rejection)

  const { brandId } = request.caller
  const { after: afterId, limit } = page.value
  const { fromAt, toAt } = filter.value
  const range = { fromAt, toAt, withinMs: within * 1000 }
  const query = { brandId, steps, excluded: exclude, ...range, step: step - 1, did, afterId, limit }
  const found = await deps.database.asQuestion({ brandId, signal: request.signal }, async (tx) =>
    listFunnelPeople(tx, query),
  )
  const next = nextCursor(found, ({ id }) => String(id))
  const warnings = [...parsed.value.warnings, ...page.value.warnings]
  const fields = { people: found.rows.map(renderPersonRow), next_cursor: next }
  return replySuccess(fields, { processed: found.rows.length, warnings })
}

const NO_SUCH_STEP = {
  faults: [fault('field_invalid', 'step', { detail: 'the funnel has no such step, or none before it' })],
} as const

export const FUNNEL_PEOPLE_QUERY = Type.Object(PAGE_FIELDS)

export const FUNNEL_PEOPLE_BODY = Type.Object({
  steps: FUNNEL_BODY.properties.steps,
  step: Type.Integer({
    minimum: 1,
    maximum: EVENT_READ_LIMITS.funnelStepsMax,
    description: 'The step whose people are listed; the first is 1.',
  }),
  did: Type.Optional(
    Type.Enum(['reached', 'stopped'], {
      description:
        'People who did the step, or who did the one before it and not this one; reached if absent.',
    }),
  ),
  within: FUNNEL_BODY.properties.within,
  exclude: FUNNEL_BODY.properties.exclude,
  from: FUNNEL_BODY.properties.from,
  to: FUNNEL_BODY.properties.to,
})

export const FUNNEL_PEOPLE_VIEW = personRowsView('When the person did their last step up to this one.')
