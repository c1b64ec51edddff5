import { ATTRIBUTE_TYPES, type AttributeType } from '../../rules/attributes.ts'
import { readDate } from '../values/calendar.ts'
import { isJsonObject } from '../values/json.ts'

/** The attribute type of a JSON value; null for a value that no attribute can hold, such as a list of numbers. */
export function attributeTypeOf(value: unknown): AttributeType | null {
  if (typeof value === 'string') return readDate(value) === null ? 'string' : 'date'
  if (typeof value === 'number' || typeof value === 'bigint') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (Array.isArray(value)) return value.every(isJsonObject) ? 'object_array' : null
  return isJsonObject(value) ? 'object' : null
}

/** Whether a value of one type may be shown where another was locked first. */
export function fitsLock(locked: AttributeType, actual: AttributeType): boolean {
  if (actual === locked) return true
  const others: readonly string[] = ATTRIBUTE_TYPES[locked].alsoAccepts
  return others.includes(actual)
}
