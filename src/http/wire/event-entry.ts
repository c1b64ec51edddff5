import { parseAttributes } from '../../domain/attributes.ts'
import { readDate } from '../../domain/calendar.ts'
import type { EventEntry } from '../../domain/event-entry.ts'
import { fault } from '../../domain/fault.ts'
import { isJsonObject, type JsonObject } from '../../domain/json.ts'
import { measureJson } from '../../domain/json-size.ts'
import { readLtv } from '../../domain/ltv.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { countChars, flawOf, isLonger } from '../../domain/text.ts'
import type { WallClock } from '../../domain/wall-clock.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { EVENT_ATTRIBUTES } from '../../rules/attributes.ts'
import { ENTRY_FIELDS, EVENT_LIMITS } from '../../rules/events.ts'
import type { ParsedEntry } from './entry-list.ts'
import { parseContext } from './event-context.ts'
import { parseIdentifiers } from './identifiers.ts'

/** What the entries of one call are judged by, and what they share. */
export type EntryRules = {
  readonly now: number
  readonly isMerging: boolean
  /** The brand's own, for times that carry no offset. */
  readonly wallClock: WallClock
  /** Names found good earlier in the same call. */
  readonly goodEventNames: Set<string>
  readonly goodAttributeNames: Set<string>
}

/** One element of `nv`: an event that may be stored, or the first thing that is wrong with it (decisions §4). */
export function parseEventEntry(
  given: unknown,
  index: number,
  rules: EntryRules,
): Result<ParsedEntry<EventEntry>> {
  if (!isJsonObject(given)) return reject(fault('field_type', `nv[${index}]`, { expected: 'an object' }))
  const who = parseIdentifiers(given, rules)
  if (!who.ok) return who
  const name = parseEventName(given['event_name'], rules.goodEventNames)
  if (!name.ok) return name
  const { attributes: attributesGiven } = given
  if (attributesGiven === undefined || attributesGiven === null) {
    return reject(fault('field_missing', 'attributes'))
  }
  if (!isJsonObject(attributesGiven)) {
    return reject(fault('field_type', 'attributes', { expected: 'an object' }))
  }
  const attributes = parseAttributes(attributesGiven, EVENT_ATTRIBUTES, rules.goodAttributeNames)
  if (!attributes.ok) return attributes
  const ltv = readLtv(given['ltv'])
  if (ltv === null) return reject(fault('field_type', 'ltv', { expected: 'a decimal number in a string' }))
  const at = parseEventTime(given['event_time'], rules)
  if (!at.ok) return at
  const eventId = parseEventId(given['event_id'])
  if (!eventId.ok) return eventId
  const strangers = strangersIn(given)
  if (!strangers.ok) return strangers
  const { context, warnings } = parseContext(given['context'])
  const max = EVENT_LIMITS.entryBytesMax
  const size = measureJson(given, max)
  if (size.isLarger) return reject(fault('entry_too_large', null, { max, actual: size.bytes }))
  const { values, types, absent } = attributes.value
  return accept({
    entry: {
      index,
      who: who.value,
      name: name.value,
      at: at.value,
      ltv,
      attributes: values,
      types,
      context,
      bytes: size.bytes,
      eventId: eventId.value,
    },
    warnings: noticesOf(strangers.value, absent, warnings),
    isPlain:
      values === attributesGiven && context === (given['context'] ?? null) && strangers.value.length === 0,
  })
}

function parseEventName(given: unknown, goodNames: Set<string>): Result<string> {
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
  if (!EVENT_NAME.test(given)) {
    const detail = 'use letters, digits, space, underscore and hyphen only'
    return reject(fault('field_invalid', 'event_name', { detail }))
  }
  goodNames.add(given)
  return accept(given)
}

/** Letters and digits of any script; the marks belong to the letters they stand on (spec §8, rule 1). */
const EVENT_NAME = /^[\p{L}\p{M}\p{Nd} _-]+$/u

function parseEventTime(given: unknown, rules: EntryRules): Result<number> {
  if (given === undefined || given === null) return accept(rules.now)
  const date = typeof given === 'string' ? readDate(given) : null
  if (date === null || !(date.isContractForm || date.kind === 'exact')) {
    const expected = 'a real time written as yyyy-MM-dd HH:mm:ss, or ISO 8601 with an offset'
    return reject(fault('field_type', 'event_time', { expected }))
  }
  const at = date.isContractForm ? rules.wallClock(date.wallMs) : date.wallMs - date.offsetMs
  if (at - rules.now > EVENT_LIMITS.futureMsMax) {
    return reject(fault('field_invalid', 'event_time', { detail: 'it is more than 24 hours in the future' }))
  }
  // An offset can carry a day of the year 1 into the years before it, which ISO 8601 cannot write.
  if (at < EVENT_LIMITS.earliestAt) {
    return reject(fault('field_invalid', 'event_time', { detail: 'it is before the year 1' }))
  }
  return accept(at)
}

function parseEventId(given: unknown): Result<string | null> {
  if (given === undefined || given === null) return accept(null)
  if (typeof given !== 'string') return reject(fault('field_type', 'event_id', { expected: 'a string' }))
  const max = EVENT_LIMITS.eventIdCharsMax
  if (isLonger(given, max)) {
    return reject(fault('field_too_long', 'event_id', { max, unit: 'characters', actual: countChars(given) }))
  }
  const detail = given === '' ? 'it is empty' : flawOf(given)
  return detail === null ? accept(given) : reject(fault('field_invalid', 'event_id', { detail }))
}

const KNOWN: ReadonlySet<string> = new Set(ENTRY_FIELDS)

/** The fields that are none of ours. `__proto__` is no field of anybody's, but a trap. */
function strangersIn(given: JsonObject): Result<readonly string[]> {
  const strangers: string[] = []
  for (const name in given) if (!KNOWN.has(name)) strangers.push(name)
  if (!strangers.includes('__proto__')) return accept(strangers)
  return reject(fault('field_invalid', '__proto__', { detail: 'this name is reserved' }))
}

function noticesOf(
  strangers: readonly string[],
  absent: readonly string[],
  context: readonly Warning[],
): readonly Warning[] {
  if (strangers.length === 0 && absent.length === 0) return context
  return [
    ...strangers.map((name) => warning('unknown_field', name)),
    ...absent.map((name) => warning('null_attribute', `attributes.${name}`)),
    ...context,
  ]
}
