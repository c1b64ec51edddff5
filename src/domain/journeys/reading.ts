import { JOURNEY_DOCUMENTS, JOURNEY_KEYS } from '../../rules/journey-documents.ts'
import { JOURNEY_END, JOURNEY_LIMITS, JOURNEY_REENTRY } from '../../rules/journeys.ts'
import { SEGMENT_DOCUMENTS } from '../../rules/segments.ts'
import { accept, type Result, reject } from '../result.ts'
import { nodesIn, referencesIn } from '../segments/references.ts'
import { int64At, numberAt, objectAt, objectsAt, textAt, wordAt } from '../values/checked.ts'
import { fits, fitsLength } from '../values/document.ts'
import { type DocumentReading, type Located, refusePart, startReading } from '../values/document-reading.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { type Path, pathTo } from '../values/path.ts'
import { graphFlaws } from './graph.ts'
import type { Journey, Trigger } from './plan.ts'
import {
  type EventMatch,
  matchOf,
  type ReadMessage,
  readStep,
  type Step,
  type StepReading,
  waysOf,
} from './steps.ts'
import type { QuietWindow } from './time.ts'
import { clockAt, readQuietHours } from './time-reading.ts'

/** Reads a document as a journey, or refuses it with the path of each flaw: `steps[2].wait_for.event`. */
export function parseJourney(
  document: unknown,
  readMessage: ReadMessage,
  { isJudged }: Pick<DocumentReading, 'isJudged'> = { isJudged: true },
): Result<Journey> {
  const reading = { ...startReading(DOCUMENTS, { kind: 'journey', isJudged }), readMessage }
  const journey = readJourney(reading, isJsonObject(document) ? document : {})
  const [first, ...others] = reading.faults
  if (first !== undefined) return reject(first, ...others)
  if (journey === null) throw new Error('a journey was refused without a fault')
  return accept(journey)
}

const DOCUMENTS = { ...SEGMENT_DOCUMENTS, ...JOURNEY_DOCUMENTS }

function readJourney(reading: StepReading, whole: JsonObject): Journey | null {
  const hasTrigger = fitsKey(reading, whole, 'trigger')
  const steps = readSteps(reading, { path: 'steps', value: whole['steps'] })
  const goal = readMatch(reading, whole, 'goal')
  const exit = readMatch(reading, whole, 'exit')
  const hasReentry = fitsKey(reading, whole, 'reentry')
  const quietHours = readQuiet(reading, whole)
  const [first] = steps?.keys() ?? []
  if (!hasTrigger || steps === null || first === undefined || !hasReentry) return null
  const trigger = triggerOf(objectAt(whole, 'trigger'))
  const reentry = (whole['reentry'] ?? null) === null ? 'never' : wordAt(whole, 'reentry', JOURNEY_REENTRY)
  return { trigger, first, steps, goal, exit, reentry, quietHours }
}

/** Whether a key of a journey has its shape. */
function fitsKey(reading: DocumentReading, whole: JsonObject, name: keyof typeof JOURNEY_KEYS): boolean {
  const { use, shape } = JOURNEY_KEYS[name]
  const value = whole[name] ?? undefined
  return (use === 'nullable' && value === undefined) || fits(reading, shape, { path: name, value })
}

function readMatch(reading: DocumentReading, whole: JsonObject, name: 'goal' | 'exit'): EventMatch | null {
  const isAbsent = (whole[name] ?? null) === null
  return isAbsent || !fitsKey(reading, whole, name) ? null : matchOf(objectAt(whole, name))
}

function readQuiet(reading: DocumentReading, whole: JsonObject): readonly QuietWindow[] {
  const isAbsent = (whole['quiet_hours'] ?? null) === null
  if (isAbsent || !fitsKey(reading, whole, 'quiet_hours')) return []
  return readQuietHours(reading, { path: 'quiet_hours', value: objectsAt(whole, 'quiet_hours') })
}

/** A trigger whose shape was checked. */
function triggerOf(written: JsonObject): Trigger {
  if ('event' in written) return { kind: 'event', match: matchOf(written) }
  if ('segment_entered' in written) {
    return { kind: 'segment', change: 'entered', segmentId: int64At(written, 'segment_entered') }
  }
  if ('segment_left' in written) {
    return { kind: 'segment', change: 'left', segmentId: int64At(written, 'segment_left') }
  }
  return {
    kind: 'date',
    attribute: textAt(written, 'date'),
    offsetDays: (written['offset_days'] ?? null) === null ? 0 : numberAt(written, 'offset_days'),
    at: clockAt(written, 'at'),
    isYearly: written['yearly'] === true,
  }
}

function readSteps(reading: StepReading, at: Located): ReadonlyMap<string, Step> | null {
  const { path, value } = at
  if (!fitsLength(reading, JOURNEY_KEYS.steps.shape, at)) return null
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const ids = items.map((item) => (isJsonObject(item) && typeof item['id'] === 'string' ? item['id'] : null))
  const steps = items.map((item, index) =>
    readStep(reading, { path: pathTo(path, index), value: item }, ids[index + 1] ?? null),
  )
  const known = steps.filter((step) => step !== null)
  if (known.length < steps.length || !checkIds(reading, path, known)) return null
  const byId = new Map(known.map((step) => [step.id, step]))
  if (!checkWays(reading, path, byId)) return null
  if (!reading.isJudged) return byId
  return checkGraph(reading, path, byId) && checkFilters(reading, path, known) ? byId : null
}

function checkIds(reading: DocumentReading, path: Path, steps: readonly Step[]): boolean {
  const ids = steps.map(({ id }) => id)
  const flaws = ids.flatMap((id, at) => {
    if (id === JOURNEY_END) return [{ at, detail: `${JOURNEY_END} is what the end is called` }]
    return ids.indexOf(id) < at ? [{ at, detail: 'another step has the same id' }] : []
  })
  for (const { at, detail } of flaws) refusePart(reading, `${path}[${at}].id`, detail)
  return flaws.length === 0
}

/** A person may take all branches at one moment, so the filters of all branches together are bounded. */
function checkFilters(reading: DocumentReading, path: Path, steps: readonly Step[]): boolean {
  const { filterNodesMax, referencesMax } = JOURNEY_LIMITS
  const filters = steps.flatMap((step) => (step.kind === 'branch' ? [step.filter] : []))
  const nodes = filters.reduce((sum, filter) => sum + nodesIn(filter), 0)
  if (nodes > filterNodesMax) {
    refusePart(reading, path, `the filters of its branches may have at most ${filterNodesMax} nodes together`)
  }
  const references = filters.flatMap((filter) => referencesIn(filter))
  if (references.length > referencesMax) {
    refusePart(reading, path, `its branches may refer to at most ${referencesMax} segments together`)
  }
  return nodes <= filterNodesMax && references.length <= referencesMax
}

type Steps = ReadonlyMap<string, Step>

/** Every way must lead to a step that is there. */
function checkWays(reading: DocumentReading, path: Path, steps: Steps): boolean {
  const missing = [...steps.values()].flatMap((step) =>
    waysOf(step)
      .filter((way) => way !== null && !steps.has(way))
      .map((way) => ({ id: step.id, way })),
  )
  for (const { id, way } of missing) {
    refusePart(reading, pathOf(path, steps, id), `it leads to ${way}, and there is no such step`)
  }
  return missing.length === 0
}

/** The steps must make sense together. */
function checkGraph(reading: DocumentReading, path: Path, steps: Steps): boolean {
  const [first] = steps.keys()
  const flaws = first === undefined ? [] : graphFlaws({ first, steps })
  for (const { stepId, detail } of flaws) refusePart(reading, pathOf(path, steps, stepId), detail)
  return flaws.length === 0
}

function pathOf(path: Path, steps: Steps, id: string): Path {
  return pathTo(path, [...steps.keys()].indexOf(id))
}
