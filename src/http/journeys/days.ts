import { fault } from '../../domain/fault.ts'
import { edgeTexts, storedRuns } from '../../domain/series/spans.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import { listSteps } from '../../store/journeys/reads.ts'
import { loadStepSpans, type StepSpanCount } from '../../store/series/steps.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { parseSeries, SERIES_RANGE } from '../series/query.ts'
import { ofJourney } from './reads.ts'

/** GET /api/v1/journeys/{journey_id}/days: what happened at each step on each day. */
export async function readStepDays(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(STEP_DAYS_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const around = { brandZone: request.caller.timeZone, now: deps.clock.now() }
  const wanted = parseSeries({ ...value, metric: 'journey_steps', by: 'day' }, around)
  if (!wanted.ok) return refuse(wanted.rejection)
  const { edges, zone } = wanted.value
  if (edges.length - 1 > JOURNEY_LIMITS.stepDaysMax) {
    const detail = `at most ${JOURNEY_LIMITS.stepDaysMax} days are counted by step`
    return refuse({ faults: [fault('field_invalid', 'from', { detail })] })
  }
  return ofJourney(deps, request, async (tx, ref) => {
    const steps = await listSteps(tx, { ...ref, version: null })
    const counts = await loadStepSpans(tx, {
      ...ref,
      edges,
      runs: storedRuns({ by: 'day', edges, isOpen: false }),
    })
    const days = edgeTexts(zone, edges.slice(0, -1)).map((text) => text.slice(0, 10))
    return replySuccess({ days: renderDays({ days, steps, counts }) }, { warnings })
  })
}

type Counted = {
  readonly days: readonly string[]
  /** In the order of the journey. */
  readonly steps: readonly string[]
  readonly counts: readonly StepSpanCount[]
}

/** Steps that only an earlier version had come last. */
function renderDays({ days, steps, counts }: Counted): object {
  const countsOf = (step: string, always: readonly string[]): object => {
    const own = counts.filter((row) => row.step === step)
    const kinds = [...new Set([...always, ...own.map(({ what }) => what)])]
    return Object.fromEntries(
      kinds.map((kind) => {
        const numbers = days.map(() => 0n)
        for (const { place, what, count } of own) if (what === kind) numbers[place] = count
        return [kind, numbers]
      }),
    )
  }
  const known = [...new Set([...steps, ...counts.map(({ step }) => step)])].filter((step) => step !== '')
  return {
    days,
    ...countsOf('', ['entered']),
    steps: known.map((id) => ({ id, ...countsOf(id, MESSAGE_COUNTS) })),
  }
}

/** A step that sends nothing has zeros for them. */
const MESSAGE_COUNTS = ['sent', 'accepted', 'failed', 'received', 'clicked', 'dismissed'] as const

export const STEP_DAYS_QUERY = Type.Object(SERIES_RANGE)

const NUMBERS = Type.Array(Type.Integer())

export const STEP_DAYS_VIEW = Type.Object(
  {
    days: Type.Array(Type.String({ format: 'date', description: 'A day in the zone.' })),
    entered: NUMBERS,
    steps: Type.Array(
      Type.Object(
        { id: Type.String(), ...Object.fromEntries(MESSAGE_COUNTS.map((name) => [name, NUMBERS])) },
        { additionalProperties: NUMBERS },
      ),
      { description: 'Each code of a path, and the counts of messages, has one number for each day.' },
    ),
  },
  { additionalProperties: true },
)
