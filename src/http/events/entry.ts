import { type AttributeShape, isSameShape } from '../../domain/events/attributes.ts'
import { type EventEntry, readLtv } from '../../domain/events/entry.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { measureJson } from '../../domain/values/json-size.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { ENTRY_FIELDS, EVENT_LIMITS } from '../../rules/events.ts'
import type { ParsedEntry } from '../fields/entry-list.ts'
import { parseIdentifiers } from '../people/identifiers.ts'
import { parseContext } from './context.ts'
import {
  type EventClock,
  parseEventId,
  parseEventName,
  parseEventTime,
  parseGivenAttributes,
} from './entry-fields.ts'

import { type LockBook, lockFinder } from './lock-book.ts'

/** The rules for all entries of one call, and the memory that they share. */
export type EntryRules = EventClock & {
  readonly isMerging: boolean
  /** Names found good earlier in the same call. */
  readonly goodEventNames: Set<string>
  readonly goodAttributeNames: Set<string>
  /** The attributes of the last entry of each event. */
  readonly shapes: Map<string, AttributeShape>
  /** Contacts that an entry of this call was told about. */
  readonly unusedContacts: Set<string>
  readonly locks: LockBook
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
  const findLock = lockFinder(rules.locks, name.value)
  const attributes = parseGivenAttributes(given['attributes'], rules.goodAttributeNames, findLock)
  if (!attributes.ok) return attributes
  const ltv = readLtv(given['ltv'])
  if (ltv === null) return reject(fault('field_type', 'ltv', { expected: 'a decimal number in a string' }))
  const time = parseEventTime(given['event_time'], rules)
  if (!time.ok) return time
  const eventId = parseEventId(given['event_id'])
  if (!eventId.ok) return eventId
  const unknownFields = unknownFieldsIn(given)
  if (!unknownFields.ok) return unknownFields
  const { context, warnings } = parseContext(given['context'])
  const max = EVENT_LIMITS.entryBytesMax
  const size = measureJson(given, max)
  if (size.isLarger) return reject(fault('entry_too_large', null, { max, actual: size.bytes }))
  const { values, shape, absent } = attributes.value
  return accept({
    entry: {
      index,
      who: who.value,
      name: name.value,
      ...time.value,
      ltv,
      attributes: values,
      shape: sharedShape(rules.shapes, name.value, shape),
      context,
      bytes: size.bytes,
      eventId: eventId.value,
    },
    warnings: [...contactWarnings(given, rules), ...noticesOf(unknownFields.value, absent, warnings)],
    isPlain:
      values === given['attributes'] &&
      context === (given['context'] ?? null) &&
      unknownFields.value.length === 0,
  })
}

/** Entries of an event that are alike share one shape, which takes less memory and is checked once. */
function sharedShape(
  shapes: Map<string, AttributeShape>,
  eventName: string,
  shape: AttributeShape,
): AttributeShape {
  const last = shapes.get(eventName)
  if (last !== undefined && isSameShape(last, shape)) return last
  shapes.set(eventName, shape)
  return shape
}

const NO_WARNINGS: readonly Warning[] = []

/** Without merging, email and mobile of an event do nothing. The first entry of the call that has one is told. */
function contactWarnings(given: JsonObject, { isMerging, unusedContacts }: EntryRules): readonly Warning[] {
  if (isMerging || (given['email'] === undefined && given['mobile'] === undefined)) return NO_WARNINGS
  return CONTACTS.filter((field) => {
    const isFirst = typeof given[field] === 'string' && !unusedContacts.has(field)
    if (isFirst) unusedContacts.add(field)
    return isFirst
  }).map((field) => warning('contact_unused', field, { field }))
}

const CONTACTS = ['email', 'mobile'] as const

const KNOWN: ReadonlySet<string> = new Set(ENTRY_FIELDS)

/** Names that the contract does not have. `__proto__` is refused, because copying it would change the prototype. */
function unknownFieldsIn(given: JsonObject): Result<readonly string[]> {
  const unknownFields: string[] = []
  for (const name in given) if (!KNOWN.has(name)) unknownFields.push(name)
  if (!unknownFields.includes('__proto__')) return accept(unknownFields)
  return reject(fault('field_invalid', '__proto__', { detail: 'this name is reserved' }))
}

function noticesOf(
  unknownFields: readonly string[],
  absent: readonly string[],
  context: readonly Warning[],
): readonly Warning[] {
  if (unknownFields.length === 0 && absent.length === 0) return context
  return [
    ...unknownFields.map((name) => warning('unknown_field', name)),
    ...absent.map((name) => warning('null_attribute', `attributes.${name}`)),
    ...context,
  ]
}
