import { PROFILE_ATTRIBUTES } from '../../rules/attributes.ts'
import { JOURNEY_STEPS, type JourneyStepKind } from '../../rules/journey-steps.ts'
import { JOURNEY_ANYWHERE, JOURNEY_END } from '../../rules/journeys.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { nameFault, valueFault } from '../events/attribute-faults.ts'
import { knownAttributeFault } from '../events/known-attribute.ts'
import type { Fault } from '../fault.ts'
import type { Alternatives } from '../push/alternatives.ts'
import type { Content } from '../push/message.ts'
import type { TemplateOrigin } from '../push/notification.ts'
import type { Result } from '../result.ts'
import { conditionOf, whereOf } from '../segments/filter.ts'
import { referencesIn } from '../segments/references.ts'
import type { AttributeCondition, WrittenFilter } from '../segments/segment.ts'
import { namesOf, numberAt, objectAt, objectsAt, type Scalar, scalarAt, textAt } from '../values/checked.ts'
import { fits } from '../values/document.ts'
import { type DocumentReading, type Located, refusePart, refuseWith } from '../values/document-reading.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { type Path, pathTo } from '../values/path.ts'
import { clockAt, readDuration, weekdaysAt } from './time-reading.ts'

/** The id of the step that a way leads to, or null for the end. */
export type Way = string | null

export type Step =
  | SendStep
  | { readonly kind: 'wait'; readonly id: string; readonly ms: number; readonly next: Way }
  | {
      readonly kind: 'wait_until'
      readonly id: string
      /** Monday is 1; none means any day. */
      readonly weekdays: readonly number[]
      readonly at: string
      readonly next: Way
    }
  | WaitForStep
  | {
      readonly kind: 'branch'
      readonly id: string
      readonly filter: WrittenFilter
      readonly yes: Way
      readonly no: Way
    }
  | { readonly kind: 'split'; readonly id: string; readonly ways: readonly SplitWay[] }
  | { readonly kind: 'webhook'; readonly id: string; readonly endpointId: string; readonly next: Way }
  | { readonly kind: 'set'; readonly id: string; readonly change: PersonChange; readonly next: Way }

export type SendStep = {
  readonly kind: 'send'
  readonly id: string
  /** The send goes to each of these platforms on which the person has a live device. */
  readonly platforms: readonly Platform[]
  readonly message: SendMessage
  readonly next: Way
}

export type SendMessage = {
  readonly content: Content
  /** The content in other languages; null when there is none. */
  readonly alternatives: Alternatives | null
  readonly callerNotificationId: bigint | null
  readonly topic: string | null
  /** The version of the template that the content came from when the journey was saved. */
  readonly template: TemplateOrigin | null
}

export type WaitForStep = {
  readonly kind: 'wait_for'
  readonly id: string
  readonly match: EventMatch
  readonly timeoutMs: number
  readonly yes: Way
  readonly no: Way
}

/** An event of this name whose attributes all compare as asked. */
export type EventMatch = { readonly event: string; readonly where: readonly AttributeCondition[] }

export type SplitWay = { readonly percent: number; readonly way: Way }

/** A value of null takes the attribute away. */
export type PersonChange =
  | { readonly kind: 'attribute'; readonly attribute: string; readonly value: Scalar | null }
  | { readonly kind: 'tag'; readonly tag: string; readonly isAdded: boolean }

/** Where a step can lead. */
export function waysOf(step: Step): readonly Way[] {
  if ('next' in step) return [step.next]
  return step.kind === 'split' ? step.ways.map(({ way }) => way) : [step.yes, step.no]
}

/** The name that a step gives to something outside the journey, and where. */
export type StepReference =
  | { readonly path: Path; readonly segmentId: bigint }
  | { readonly path: Path; readonly endpointId: string }
  | { readonly path: Path; readonly topic: string }

export function stepReferences(step: Step, path: Path): readonly StepReference[] {
  const own = pathTo(path, step.kind)
  if (step.kind === 'webhook') return [{ path: pathTo(own, 'endpoint_id'), endpointId: step.endpointId }]
  if (step.kind === 'send') {
    const { topic } = step.message
    return topic === null ? [] : [{ path: pathTo(own, 'topic'), topic }]
  }
  if (step.kind !== 'branch') return []
  return referencesIn(step.filter, pathTo(own, 'filter')).map((found) => ({
    path: found.path,
    segmentId: found.id,
  }))
}

/** Reads the message of a send step. Push fields are read in `http/`, so the caller passes this function in. */
export type ReadMessage = (send: LocatedSend) => Result<SendMessage>
export type LocatedSend = Located & { readonly stepId: string; readonly platforms: readonly Platform[] }

export type StepReading = DocumentReading & { readonly readMessage: ReadMessage }

/** A step of a document; null and faults where it cannot be one. `following` is the step after it in the list. */
export function readStep(reading: StepReading, at: Located, following: Way): Step | null {
  const { path, value: whole } = at
  if (!fits(reading, { type: 'named', name: 'JourneyStep' }, at) || !isJsonObject(whole)) return null
  const kind = KINDS.find((name) => Object.hasOwn(whole, name))
  if (kind === undefined) throw new Error('a checked step has no kind')
  const next = wayAt(whole, 'next', following)
  return READERS[kind](reading, {
    path: pathTo(path, kind),
    whole,
    id: textAt(whole, 'id'),
    next,
    following,
  })
}

/** The way that a key names; where it is absent, the step that follows in the list. */
function wayAt(whole: JsonObject, name: string, following: Way): Way {
  const id = whole[name] === undefined ? following : textAt(whole, name)
  return id === JOURNEY_END ? null : id
}

/** The name of an event, and the conditions on its attributes. */
export function matchOf(written: JsonObject): EventMatch {
  return { event: textAt(written, 'event'), where: whereOf(written) }
}

const KINDS = namesOf(JOURNEY_STEPS)

/** A step whose shape was checked. `path` leads to the key of its kind. */
type CheckedStep = {
  readonly path: Path
  readonly whole: JsonObject
  readonly id: string
  readonly next: Way
  readonly following: Way
}

/** How each kind of step is read; null means that a fault was noted. */
const READERS: Readonly<Record<JourneyStepKind, (reading: StepReading, step: CheckedStep) => Step | null>> = {
  send: readSend,
  wait: (reading, { path, whole, id, next }) => {
    const ms = readDuration(reading, { path, value: objectAt(whole, 'wait') })
    return ms === null ? null : { kind: 'wait', id, ms, next }
  },
  wait_until: (_, { whole, id, next }) => {
    const until = objectAt(whole, 'wait_until')
    return { kind: 'wait_until', id, weekdays: weekdaysAt(until, 'weekdays'), at: clockAt(until, 'at'), next }
  },
  wait_for: (reading, { path, whole, id, following }) => {
    const awaited = objectAt(whole, 'wait_for')
    const within = { path: pathTo(path, 'within'), value: objectAt(awaited, 'within') }
    const timeoutMs = readDuration(reading, within)
    return timeoutMs === null
      ? null
      : { kind: 'wait_for', id, match: matchOf(awaited), timeoutMs, ...twoWaysOf(awaited, following) }
  },
  branch: (_, { whole, id, following }) => {
    const branch = objectAt(whole, 'branch')
    const filter = conditionOf(objectAt(branch, 'filter'))
    return { kind: 'branch', id, filter, ...twoWaysOf(branch, following) }
  },
  split: readSplit,
  webhook: (_, { whole, id, next }) => {
    return { kind: 'webhook', id, endpointId: textAt(objectAt(whole, 'webhook'), 'endpoint_id'), next }
  },
  set: (reading, { path, whole, id, next }) => {
    const change = changeOf(objectAt(whole, 'set'))
    const bad = reading.isJudged && change.kind === 'attribute' ? attributeFault(change, path) : null
    return bad === null ? { kind: 'set', id, change, next } : refuseWith(reading, [bad])
  },
}

function twoWaysOf(whole: JsonObject, following: Way): { readonly yes: Way; readonly no: Way } {
  return { yes: wayAt(whole, 'yes', following), no: wayAt(whole, 'no', following) }
}

function readSend(reading: StepReading, { path, whole, id, next }: CheckedStep): Step | null {
  const value = whole['send']
  const to = { path: pathTo(path, 'to'), value: isJsonObject(value) ? value['to'] : undefined }
  if (!fits(reading, { type: 'word', words: TARGETS }, to)) return null
  const platforms = PLATFORM_NAMES.filter((name) => to.value === JOURNEY_ANYWHERE || to.value === name)
  const message = reading.readMessage({ path, value, stepId: id, platforms })
  if (!message.ok) return refuseWith(reading, message.rejection.faults)
  return { kind: 'send', id, platforms, message: message.value, next }
}

const TARGETS = [JOURNEY_ANYWHERE, ...PLATFORM_NAMES]

function readSplit(reading: StepReading, { path, whole, id, following }: CheckedStep): Step | null {
  const ways = objectsAt(whole, 'split').map((item) => ({
    percent: numberAt(item, 'percent'),
    way: wayAt(item, 'next', following),
  }))
  const total = ways.reduce((sum, { percent }) => sum + percent, 0)
  if (total === 100) return { kind: 'split', id, ways }
  refusePart(reading, path, `the percentages make ${total} and not 100`)
  return null
}

function changeOf(written: JsonObject): PersonChange {
  if ('attribute' in written) {
    const value = (written['value'] ?? null) === null ? null : scalarAt(written, 'value')
    return { kind: 'attribute', attribute: textAt(written, 'attribute'), value }
  }
  const isAdded = 'add_tag' in written
  return { kind: 'tag', tag: textAt(written, isAdded ? 'add_tag' : 'remove_tag'), isAdded }
}

/** An attribute keeps to the rules that hold for one a caller sends. */
function attributeFault(
  { attribute, value }: Extract<PersonChange, { readonly kind: 'attribute' }>,
  field: Path,
): Fault | null {
  const limits = { ...PROFILE_ATTRIBUTES, field }
  return (
    nameFault(attribute, limits) ??
    valueFault(attribute, value, limits) ??
    knownAttributeFault({ [attribute]: value }, field)
  )
}
