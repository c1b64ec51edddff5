import {
  JOURNEY_END,
  JOURNEY_LIMITS,
  JOURNEY_REENTRY,
  JOURNEY_STEPS,
  type JourneyStepKind,
} from '../../rules/journeys.ts'
import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import { accept, type Result, reject } from '../result.ts'
import { nodesIn, referencesIn } from '../segments/references.ts'
import { parseInt64 } from '../values/int64.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { graphFlaws } from './graph.ts'
import { type JourneyReading, type Place, readObject, readShort, readWord, refusePlace } from './place.ts'
import { type Journey, type Step, type Trigger, type Way, waysOf } from './plan.ts'
import { type ReadMessage, readMatch, readWay, STEP_READERS, type StepReading } from './step-reading.ts'
import { readClock, readQuietHours } from './time-reading.ts'

/** A document as a journey, or the path of every place that cannot be: `steps[2].wait_for.event`. */
export function parseJourney(
  document: unknown,
  readMessage: ReadMessage,
  { isJudged }: Pick<JourneyReading, 'isJudged'> = { isJudged: true },
): Result<Journey> {
  const reading: StepReading = { faults: [], nodes: 0, isJudged, readMessage }
  const journey = readJourney(reading, isJsonObject(document) ? document : {})
  const [first, ...others] = reading.faults
  if (first !== undefined) return reject(first, ...others)
  if (journey === null) throw new Error('a journey was refused without a fault')
  return accept(journey)
}

function readJourney(reading: StepReading, whole: JsonObject): Journey | null {
  const trigger = readTrigger(reading, { path: 'trigger', value: whole['trigger'] })
  const steps = readSteps(reading, { path: 'steps', value: whole['steps'] })
  const goal = optional(whole['goal'], (value) => readMatch(reading, { path: 'goal', value }))
  const exit = optional(whole['exit'], (value) => readMatch(reading, { path: 'exit', value }))
  const reentryPlace = { path: 'reentry', value: whole['reentry'] ?? 'never' }
  const reentry = readWord(reading, reentryPlace, JOURNEY_REENTRY)
  const quietHours = readQuietHours(reading, {
    path: 'quiet_hours',
    value: whole['quiet_hours'] ?? undefined,
  })
  const [first] = steps?.keys() ?? []
  if (trigger === null || steps === null || first === undefined || reentry === null) return null
  return { trigger, first, steps, goal, exit, reentry, quietHours }
}

function optional<Value>(value: unknown, read: (value: unknown) => Value | null): Value | null {
  return value === undefined || value === null ? null : read(value)
}

const TRIGGERS = ['event', 'segment_entered', 'segment_left', 'date'] as const

function readTrigger(reading: JourneyReading, { path, value }: Place): Trigger | null {
  const whole = isJsonObject(value) ? value : {}
  const [kind, ...more] = TRIGGERS.filter((name) => name in whole)
  if (kind === undefined || more.length > 0) {
    return refusePlace(reading, path, `it must be an object with one key of ${TRIGGERS.join(', ')}`)
  }
  if (kind === 'event') {
    const match = readMatch(reading, { path, value })
    return match === null ? null : { kind: 'event', match }
  }
  if (kind === 'date') return readDateTrigger(reading, { path, value })
  if (readObject(reading, { path, value }, [kind]) === null) return null
  const segmentId = parseInt64(whole[kind])
  if (segmentId === null) return refusePlace(reading, `${path}.${kind}`, 'it must be the id of a segment')
  return { kind: 'segment', change: kind === 'segment_entered' ? 'entered' : 'left', segmentId }
}

function readDateTrigger(reading: JourneyReading, place: Place): Trigger | null {
  const { path } = place
  const whole = readObject(reading, place, ['date', 'offset_days', 'at', 'yearly'])
  if (whole === null) return null
  const attributePlace = { path: `${path}.date`, value: whole['date'] }
  const attribute = readShort(reading, attributePlace, SEGMENT_LIMITS.attributeCharsMax)
  const at = readClock(reading, { path: `${path}.at`, value: whole['at'] })
  const offsetDays = whole['offset_days'] ?? 0
  const isYearly = whole['yearly'] ?? false
  const { offsetDaysMax } = JOURNEY_LIMITS
  const isFar = reading.isJudged && Math.abs(Number(offsetDays)) > offsetDaysMax
  if (!Number.isInteger(offsetDays) || isFar) {
    const detail = `it must be a whole number of days, at most ${offsetDaysMax} either way`
    return refusePlace(reading, `${path}.offset_days`, detail)
  }
  if (typeof isYearly !== 'boolean') return refusePlace(reading, `${path}.yearly`, 'it must be true or false')
  if (attribute === null || at === null) return null
  return { kind: 'date', attribute, offsetDays: Number(offsetDays), at, isYearly }
}

function readSteps(reading: StepReading, { path, value }: Place): ReadonlyMap<string, Step> | null {
  const { stepsMax } = JOURNEY_LIMITS
  if (!Array.isArray(value) || value.length === 0 || (reading.isJudged && value.length > stepsMax)) {
    return refusePlace(reading, path, `it must be a list of 1 to ${stepsMax} steps`)
  }
  const items: readonly unknown[] = value
  const ids = readIds(reading, { path, value: items })
  if (ids === null) return null
  const steps = new Map<string, Step>()
  for (const [at, id] of ids.entries()) {
    const following = ids[at + 1] ?? null
    const step = readStep(reading, { path: `${path}[${at}]`, value: items[at] }, { id, following })
    if (step !== null) steps.set(id, step)
  }
  if (steps.size < ids.length || !checkWays(reading, path, steps)) return null
  if (!reading.isJudged) return steps
  return checkGraph(reading, path, steps) && checkFilters(reading, path, [...steps.values()]) ? steps : null
}

/** A person may take all branches in one breath, so together they must not ask for more than a moment's work. */
function checkFilters(reading: JourneyReading, path: string, steps: readonly Step[]): boolean {
  const { filterNodesMax, referencesMax } = JOURNEY_LIMITS
  const filters = steps.flatMap((step) => (step.kind === 'branch' ? [step.filter] : []))
  const nodes = filters.reduce((sum, filter) => sum + nodesIn(filter), 0)
  if (nodes > filterNodesMax) {
    refusePlace(
      reading,
      path,
      `the filters of its branches may have at most ${filterNodesMax} nodes together`,
    )
  }
  const references = filters.flatMap((filter) => referencesIn(filter))
  if (references.length > referencesMax) {
    refusePlace(reading, path, `its branches may refer to at most ${referencesMax} segments together`)
  }
  return nodes <= filterNodesMax && references.length <= referencesMax
}

function readIds(reading: JourneyReading, { path, value }: { path: string; value: readonly unknown[] }) {
  const ids = value.map((item, at) => {
    const place = { path: `${path}[${at}].id`, value: isJsonObject(item) ? item['id'] : undefined }
    const id = readShort(reading, place, JOURNEY_LIMITS.stepIdCharsMax)
    return id === JOURNEY_END
      ? refusePlace(reading, place.path, `${JOURNEY_END} is what the end is called`)
      : id
  })
  const known = ids.filter((id) => id !== null)
  if (known.length < ids.length) return null
  const twice = known.findIndex((id, at) => known.indexOf(id) < at)
  if (twice >= 0) return refusePlace(reading, `${path}[${twice}].id`, 'another step has the same id')
  return known
}

const KINDS = Object.keys(JOURNEY_STEPS).filter((name): name is JourneyStepKind => name in JOURNEY_STEPS)

function readStep(
  reading: StepReading,
  { path, value }: Place,
  { id, following }: { readonly id: string; readonly following: Way },
): Step | null {
  const whole = isJsonObject(value) ? value : {}
  const [kind, ...more] = KINDS.filter((name) => name in whole)
  if (kind === undefined || more.length > 0) {
    return refusePlace(reading, path, `it must have one key of ${KINDS.join(', ')}`)
  }
  const { isPlain } = JOURNEY_STEPS[kind]
  if (readObject(reading, { path, value }, ['id', kind, ...(isPlain ? ['next'] : [])]) === null) return null
  const next = readWay(reading, { path: `${path}.next`, value: whole['next'] }, following)
  if (next === undefined) return null
  return STEP_READERS[kind](reading, { path: `${path}.${kind}`, value: whole[kind], id, following, next })
}

type Steps = ReadonlyMap<string, Step>

/** Every way must lead to a step that is there. */
function checkWays(reading: JourneyReading, path: string, steps: Steps): boolean {
  const missing = [...steps.values()].flatMap((step) =>
    waysOf(step)
      .filter((way) => way !== null && !steps.has(way))
      .map((way) => ({ id: step.id, way })),
  )
  for (const { id, way } of missing)
    refusePlace(reading, pathOf(path, steps, id), `it leads to ${way}, and there is no such step`)
  return missing.length === 0
}

/** The steps must make sense together. */
function checkGraph(reading: JourneyReading, path: string, steps: Steps): boolean {
  const [first] = steps.keys()
  const flaws = first === undefined ? [] : graphFlaws({ first, steps })
  for (const { stepId, detail } of flaws) refusePlace(reading, pathOf(path, steps, stepId), detail)
  return flaws.length === 0
}

function pathOf(path: string, steps: Steps, id: string): string {
  return `${path}[${[...steps.keys()].indexOf(id)}]`
}
