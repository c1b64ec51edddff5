import { ATTRIBUTE_TYPES, type AttributeLimits, type AttributeType } from '../../rules/attributes.ts'
import { type Fault, fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import type { JsonObject } from '../values/json.ts'
import { attributeTypeOf } from './attribute.ts'
import { attributeField, nameFault, valueFault } from './attribute-faults.ts'

/** The attributes of one event or profile that may be stored, with their types. */
export type Attributes = {
  readonly values: JsonObject
  /** The type of each value, in the order of the keys. */
  readonly types: readonly AttributeType[]
  /** Names whose value was null, which counts as absent. */
  readonly absent: readonly string[]
}

/**
 * Checks a set of attributes against all its limits (spec §8, decisions §5). `goodNames` remembers the names that
 * passed, because a call has a thousand entries and few names.
 */
export function parseAttributes(
  given: JsonObject,
  limits: AttributeLimits,
  goodNames: Set<string>,
): Result<Attributes> {
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
    types.push(type)
  }
  const excess = countFault(types, limits)
  if (excess !== null) return reject(excess)
  const values = absent.length === 0 ? given : without(given, absent)
  return accept({ values, types, absent })
}

const TYPES = Object.entries(ATTRIBUTE_TYPES)

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
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)))
}
