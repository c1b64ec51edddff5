import { type Attributes, type FindAttributeLock, parseAttributes } from '../../domain/events/attributes.ts'
import { type EventTime, toldTime } from '../../domain/events/entry.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { readDate } from '../../domain/values/calendar.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { countChars, flawOf, isLonger } from '../../domain/values/text.ts'
import type { WallClock } from '../../domain/values/wall-clock.ts'
import { EVENT_ATTRIBUTES } from '../../rules/attributes.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'

/** The time of the call, and the brand's own clock for times that carry no offset. */
export type EventClock = { readonly now: number; readonly wallClock: WallClock }

/** Parses the name of an event (spec §8, rule 1). `goodNames` holds the names already accepted in this call. */
export function parseEventName(given: unknown, goodNames: Set<string>): Result<string> {
  if (given === undefined || given === null || given === '') {
    return reject(fault('field_missing', 'event_name'))
  }
  if (typeof given !== 'string') return reject(fault('field_type', 'event_name', { expected: 'a string' }))
  if (goodNames.has(given)) return accept(given)
  const max = EVENT_LIMITS.eventNameCharsMax
  if (isLonger(given, max)) {
    const words = { max, unit: 'characters', actual: countChars(given) }
    return reject(fault('field_too_long', 'event_name', words))
  }
  if (given.trim() === '') return reject(fault('field_invalid', 'event_name', { detail: 'it is blank' }))
  if (!EVENT_NAME.test(given)) {
    const detail = 'use letters, digits, space, underscore and hyphen only'
    return reject(fault('field_invalid', 'event_name', { detail }))
  }
  goodNames.add(given)
  return accept(given)
}

/** Letters and digits of any script; the marks belong to the letters they stand on (spec §8, rule 1). */
const EVENT_NAME = /^[\p{L}\p{M}\p{Nd} _-]+$/u

/** When it happened: the moment of receipt where nothing is told. */
export function parseEventTime(given: unknown, { now, wallClock }: EventClock): Result<EventTime> {
  if (given === undefined || given === null) return accept({ at: now, lastAt: null })
  const date = typeof given === 'string' ? readDate(given) : null
  if (date === null || !(date.isContractForm || date.kind === 'exact')) {
    const expected = 'a real time written as yyyy-MM-dd HH:mm:ss, or ISO 8601 with an offset'
    return reject(fault('field_type', 'event_time', { expected }))
  }
  const at = date.isContractForm ? wallClock(date.wallMs) : date.wallMs - date.offsetMs
  if (at - now > EVENT_LIMITS.futureMsMax) {
    return reject(fault('field_invalid', 'event_time', { detail: 'it is more than 24 hours in the future' }))
  }
  // An offset can carry a day of the year 1 into the years before it, which ISO 8601 cannot write.
  if (at < EVENT_LIMITS.earliestAt) {
    return reject(fault('field_invalid', 'event_time', { detail: 'it is before the year 1' }))
  }
  return accept(toldTime(at))
}

/** The caller's own name for it, by which it counts once. */
export function parseEventId(given: unknown): Result<string | null> {
  if (given === undefined || given === null) return accept(null)
  if (typeof given !== 'string') return reject(fault('field_type', 'event_id', { expected: 'a string' }))
  const max = EVENT_LIMITS.eventIdCharsMax
  if (isLonger(given, max)) {
    return reject(fault('field_too_long', 'event_id', { max, unit: 'characters', actual: countChars(given) }))
  }
  const detail = given === '' ? 'it is empty' : flawOf(given)
  return detail === null ? accept(given) : reject(fault('field_invalid', 'event_id', { detail }))
}

export function parseGivenAttributes(
  given: unknown,
  goodNames: Set<string>,
  findLock: FindAttributeLock,
): Result<Attributes> {
  if (given === undefined || given === null) return reject(fault('field_missing', 'attributes'))
  if (!isJsonObject(given)) return reject(fault('field_type', 'attributes', { expected: 'an object' }))
  return parseAttributes(given, EVENT_ATTRIBUTES, goodNames, findLock)
}
