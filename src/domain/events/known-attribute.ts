import { KNOWN_PROFILE_ATTRIBUTES, type KnownAttribute } from '../../rules/people.ts'
import { type Fault, fault } from '../fault.ts'
import { readDate } from '../values/calendar.ts'
import type { JsonObject } from '../values/json.ts'

/** The fault of an attribute in `KNOWN_PROFILE_ATTRIBUTES`, or null. Null as a value takes the attribute away. */
export function knownAttributeFault(attributes: JsonObject, field: string): Fault | null {
  for (const [name, rule] of ROWS) {
    const value = attributes[name]
    if (value === undefined || value === null) continue
    const detail = flaw(rule, value)
    if (detail !== null) return fault('field_invalid', `${field}.${name}`, { detail })
  }
  return null
}

const ROWS: readonly (readonly [string, KnownAttribute])[] = Object.entries(KNOWN_PROFILE_ATTRIBUTES)

function flaw(rule: KnownAttribute, value: unknown): string | null {
  if (rule.form === 'day') {
    const isDay = typeof value === 'string' && readDate(value)?.kind === 'day'
    return isDay ? null : 'write it as YYYY-MM-DD, a day of the calendar'
  }
  const isChoice = typeof value === 'string' && rule.oneOf.includes(value)
  return isChoice ? null : `it must be one of ${rule.oneOf.map((choice) => `"${choice}"`).join(', ')}`
}
