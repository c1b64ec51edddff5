import { ATTRIBUTE_TYPES, type AttributeLimits, type AttributeType } from '../../rules/attributes.ts'
import { type Fault, fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import type { JsonObject } from '../values/json.ts'
import { attributeTypeOf, fitsLock } from './attribute.ts'
import { attributeField, nameFault, valueFault } from './attribute-faults.ts'

/** The names of the attributes of an entry, and the type of each. Entries that are alike may share one. */
export type AttributeShape = { readonly names: readonly string[]; readonly types: readonly AttributeType[] }

/** Whether two entries have the same attributes in the same order, each of the same type. */
export function isSameShape(a: AttributeShape, b: AttributeShape): boolean {
  return isSameList(a.names, b.names) && isSameList(a.types, b.types)
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, place) => item === b[place])
}

/** The attributes of one event or profile that may be stored. */
export type Attributes = {
  readonly values: JsonObject
  readonly shape: AttributeShape
  /** Names whose value was null, which counts as absent. */
  readonly absent: readonly string[]
}

/** The type that an attribute is locked to, as far as the lock is known. */
export type FindAttributeLock = (attribute: string) => AttributeType | undefined

/**
 * Checks a set of attributes against all its limits (spec §8, decisions §5). `goodNames` remembers the names that
 * passed, because a call has a thousand entries and few names. `findLock` is asked only where a lock decides whether
 * there are too many attributes of a type.
 */
export function parseAttributes(
  given: JsonObject,
  limits: AttributeLimits,
  goodNames: Set<string>,
  findLock: FindAttributeLock = () => undefined,
): Result<Attributes> {
  const names: string[] = []
  const types: AttributeType[] = []
  const absent: string[] = []
  for (const name in given) {
    if (!goodNames.has(name)) {
      const bad = nameFault(name, limits)
      if (bad !== null) return reject(bad)
      goodNames.add(name)
    }
    const value = given[name]
    if (value === null) {
      absent.push(name)
      continue
    }
    const type = attributeTypeOf(value)
    if (type === null) return reject(fault('attribute_type', attributeField(name, limits)))
    const bad = valueFault(name, value, limits)
    if (bad !== null) return reject(bad)
    names.push(name)
    types.push(type)
  }
  const values = absent.length === 0 ? given : without(given, absent)
  const counted = isDoubtful(types, limits) ? typesUnderLocks({ names, types }, findLock) : types
  const excess = countFault(counted, limits)
  if (excess !== null) return reject(excess)
  return accept({ values, shape: { names, types }, absent })
}

const TYPES = Object.entries(ATTRIBUTE_TYPES)
const DATES_MAX = ATTRIBUTE_TYPES.date.perEventMax
const STRINGS_MAX = ATTRIBUTE_TYPES.string.perEventMax

/** Whether a lock can decide about the maxima: a text that looks like a date is a String where that was locked. */
function isDoubtful(types: readonly AttributeType[], { hasTypeMaxima }: AttributeLimits): boolean {
  if (!hasTypeMaxima || types.length <= DATES_MAX) return false
  const dates = countOf(types, 'date')
  return dates > DATES_MAX || (dates > 0 && dates + countOf(types, 'string') > STRINGS_MAX)
}

function typesUnderLocks(
  { names, types }: AttributeShape,
  findLock: FindAttributeLock,
): readonly AttributeType[] {
  return types.map((type, place) => {
    const lock = type === 'date' ? findLock(names[place] ?? '') : undefined
    return lock !== undefined && fitsLock(lock, type) ? lock : type
  })
}

/** A type can be over its maximum only when there are more attributes than that in all. */
function countFault(types: readonly AttributeType[], limits: AttributeLimits): Fault | null {
  const count = types.length
  const { field, countMax, hasTypeMaxima } = limits
  if (count > countMax) return fault('too_many_attributes', field, { max: countMax, type: '', actual: count })
  if (!hasTypeMaxima) return null
  for (const [type, { perEventMax, label }] of TYPES) {
    if (count <= perEventMax) continue
    const actual = countOf(types, type)
    if (actual <= perEventMax) continue
    return fault('too_many_attributes', field, { max: perEventMax, type: ` of type ${label}`, actual })
  }
  return null
}

function countOf(types: readonly AttributeType[], wanted: string): number {
  let count = 0
  for (const type of types) if (type === wanted) count += 1
  return count
}

function without(given: JsonObject, names: readonly string[]): JsonObject {
  // A set, because a caller may send nulls by the thousand.
  const left = new Set(names)
  return Object.fromEntries(Object.entries(given).filter(([name]) => !left.has(name)))
}
