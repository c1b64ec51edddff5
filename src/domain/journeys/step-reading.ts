import { PROFILE_ATTRIBUTES } from '../../rules/attributes.ts'
import { JOURNEY_ANYWHERE, JOURNEY_END, JOURNEY_LIMITS, type JourneyStepKind } from '../../rules/journeys.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import { nameFault, valueFault } from '../events/attribute-faults.ts'
import { knownAttributeFault } from '../events/known-attribute.ts'
import type { Result } from '../result.ts'
import { parseFilter } from '../segments/filter.ts'
import { readWhere } from '../segments/reading.ts'
import { isJsonObject } from '../values/json.ts'
import { isUuid } from '../values/uuid.ts'
import {
  type JourneyReading,
  type Place,
  readObject,
  readShort,
  readWord,
  refusePlace,
  refuseWith,
} from './place.ts'
import type { EventMatch, PersonChange, SendMessage, SplitWay, Step, Way } from './plan.ts'
import { readClock, readDuration, readWeekdays } from './time-reading.ts'

/** What a step says beside its kind: its name, where it stands, and the step that follows it in the list. */
export type StepPlace = Place & {
  readonly id: string
  readonly following: Way
  readonly next: Way
}

/** Reads what a send says. The fields of a push are read in `http/`, so whoever reads a document brings this. */
export type ReadMessage = (send: SendPlace) => Result<SendMessage>
export type SendPlace = Place & { readonly stepId: string; readonly platforms: readonly Platform[] }

export type StepReading = JourneyReading & { readonly readMessage: ReadMessage }

/** How each kind of step is read; null means that a fault was noted. */
export const STEP_READERS: Readonly<
  Record<JourneyStepKind, (reading: StepReading, place: StepPlace) => Step | null>
> = {
  send: (reading, place) => {
    const { path, value, id, next } = place
    const to = isJsonObject(value) ? value['to'] : undefined
    const word = readWord(reading, { path: `${path}.to`, value: to }, [JOURNEY_ANYWHERE, ...PLATFORM_NAMES])
    if (word === null) return null
    const platforms = word === JOURNEY_ANYWHERE ? PLATFORM_NAMES : [word]
    const message = reading.readMessage({ path, value, stepId: id, platforms })
    if (!message.ok) return refuseWith(reading, message.rejection.faults)
    return { kind: 'send', id, platforms, message: message.value, next }
  },
  wait: (reading, { path, value, id, next }) => {
    const ms = readDuration(reading, { path, value })
    return ms === null ? null : { kind: 'wait', id, ms, next }
  },
  wait_until: (reading, { path, value, id, next }) => {
    const whole = readObject(reading, { path, value }, ['weekdays', 'at'])
    if (whole === null) return null
    const weekdays = readWeekdays(reading, { path: `${path}.weekdays`, value: whole['weekdays'] })
    const at = readClock(reading, { path: `${path}.at`, value: whole['at'] })
    return weekdays === null || at === null ? null : { kind: 'wait_until', id, weekdays, at, next }
  },
  wait_for: (reading, { path, value, id, following }) => {
    const whole = readObject(reading, { path, value }, ['event', 'where', 'within', 'yes', 'no'])
    if (whole === null) return null
    const match = readMatch(reading, { path, value: { event: whole['event'], where: whole['where'] ?? [] } })
    const timeoutMs = readDuration(reading, { path: `${path}.within`, value: whole['within'] })
    const ways = readTwoWays(reading, { path, value: whole }, following)
    return match === null || timeoutMs === null || ways === null
      ? null
      : { kind: 'wait_for', id, match, timeoutMs, ...ways }
  },
  branch: (reading, { path, value, id, following }) => {
    const whole = readObject(reading, { path, value }, ['filter', 'yes', 'no'])
    if (whole === null) return null
    const filter = parseFilter(whole['filter'], `${path}.filter`, reading)
    const ways = readTwoWays(reading, { path, value: whole }, following)
    if (!filter.ok) return refuseWith(reading, filter.rejection.faults)
    return ways === null ? null : { kind: 'branch', id, filter: filter.value, ...ways }
  },
  split: (reading, { path, value, id, following }) => {
    const ways = readSplit(reading, { path, value }, following)
    return ways === null ? null : { kind: 'split', id, ways }
  },
  webhook: (reading, { path, value, id, next }) => {
    const whole = readObject(reading, { path, value }, ['endpoint_id'])
    if (whole === null) return null
    const endpointId = whole['endpoint_id']
    if (typeof endpointId === 'string' && isUuid(endpointId)) return { kind: 'webhook', id, endpointId, next }
    return refusePlace(reading, `${path}.endpoint_id`, 'it must be the id of a webhook endpoint')
  },
  set: (reading, { path, value, id, next }) => {
    const change = readChange(reading, { path, value })
    return change === null ? null : { kind: 'set', id, change, next }
  },
}

/** An event by its name, and what its attributes must be like. */
export function readMatch(reading: JourneyReading, place: Place): EventMatch | null {
  const { path } = place
  const whole = readObject(reading, place, ['event', 'where'])
  if (whole === null) return null
  const eventPlace = { path: `${path}.event`, value: whole['event'] }
  const event = readShort(reading, eventPlace, SEGMENT_LIMITS.eventCharsMax)
  const where = readWhere(reading, { path: `${path}.where`, value: whole['where'] ?? [], depth: 1 })
  return event === null || where === null ? null : { event, where }
}

/** The name of a step, the word for the end, or, where nothing is said, the step that follows in the list. */
export function readWay(reading: JourneyReading, { path, value }: Place, following: Way): Way | undefined {
  if (value === undefined) return following
  const name = readShort(reading, { path, value }, JOURNEY_LIMITS.stepIdCharsMax)
  if (name === null) return undefined
  return name === JOURNEY_END ? null : name
}

function readTwoWays(
  reading: JourneyReading,
  { path, value }: Place,
  following: Way,
): { readonly yes: Way; readonly no: Way } | null {
  const whole = isJsonObject(value) ? value : {}
  const yes = readWay(reading, { path: `${path}.yes`, value: whole['yes'] }, following)
  const no = readWay(reading, { path: `${path}.no`, value: whole['no'] }, following)
  return yes === undefined || no === undefined ? null : { yes, no }
}

function readSplit(
  reading: JourneyReading,
  { path, value }: Place,
  following: Way,
): readonly SplitWay[] | null {
  const { waysMax } = JOURNEY_LIMITS
  if (!Array.isArray(value) || (reading.isJudged && !(value.length >= 2 && value.length <= waysMax))) {
    return refusePlace(reading, path, `it must be a list of 2 to ${waysMax} ways`)
  }
  const ways = value.flatMap((item: unknown, at): readonly SplitWay[] => {
    const place = { path: `${path}[${at}]`, value: item }
    const whole = readObject(reading, place, ['percent', 'next'])
    const given = whole?.['percent']
    const percent = typeof given === 'number' ? given : Number.NaN
    if (whole !== null && !(Number.isInteger(percent) && percent >= 1 && percent <= 99)) {
      refusePlace(reading, `${place.path}.percent`, 'it must be a whole number, 1 to 99')
      return []
    }
    const way = readWay(reading, { path: `${place.path}.next`, value: whole?.['next'] }, following)
    return whole === null || way === undefined ? [] : [{ percent, way }]
  })
  if (ways.length < value.length) return null
  const total = ways.reduce((sum, { percent }) => sum + percent, 0)
  return total === 100 ? ways : refusePlace(reading, path, `the percentages make ${total} and not 100`)
}

function readChange(reading: JourneyReading, { path, value }: Place): PersonChange | null {
  const whole = readObject(reading, { path, value }, ['attribute', 'value', 'add_tag', 'remove_tag'])
  if (whole === null) return null
  const named = CHANGES.filter((key) => key in whole)
  const [key, ...more] = named
  if (key === undefined || more.length > 0 || ('value' in whole && key !== 'attribute')) {
    return refusePlace(reading, path, 'it must have attribute and value, or add_tag, or remove_tag')
  }
  const place = { path: `${path}.${key}`, value: whole[key] }
  if (key !== 'attribute') {
    const tag = readShort(reading, place, JOURNEY_LIMITS.tagCharsMax)
    return tag === null ? null : { kind: 'tag', tag, isAdded: key === 'add_tag' }
  }
  return readAttribute(reading, { path, value: whole['value'] ?? null }, readShort(reading, place, NAME_MAX))
}

/** An attribute keeps to the rules that hold for one a caller sends. */
function readAttribute(
  reading: JourneyReading,
  { path, value }: Place,
  attribute: string | null,
): PersonChange | null {
  if (!isAttributeValue(value)) {
    return refusePlace(reading, `${path}.value`, 'it must be a string, a number, a boolean or null')
  }
  if (attribute === null) return null
  const limits = { ...PROFILE_ATTRIBUTES, field: path }
  const change = { kind: 'attribute', attribute, value } as const
  if (!reading.isJudged) return change
  const bad =
    nameFault(attribute, limits) ??
    valueFault(attribute, value, limits) ??
    knownAttributeFault({ [attribute]: value }, path)
  return bad === null ? change : refuseWith(reading, [bad])
}

const NAME_MAX = PROFILE_ATTRIBUTES.nameCharsMax
const CHANGES = ['attribute', 'add_tag', 'remove_tag'] as const

function isAttributeValue(value: unknown): value is string | number | bigint | boolean | null {
  return value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}
