import { EVENT_LIMITS } from '../rules/events.ts'
import { type Fault, fault } from './fault.ts'
import { countChars, flawOf, isLonger } from './text.ts'

/** What is wrong with the name of an attribute; null when nothing is. */
export function nameFault(name: string): Fault | null {
  const field = attributeField(name)
  if (name === '') return fault('field_invalid', field, { detail: 'an attribute needs a name' })
  // Objects are built from these names, and this one would become the object's parent instead of its member.
  if (name === '__proto__') return fault('field_invalid', field, { detail: 'this name is reserved' })
  const max = EVENT_LIMITS.attributeNameCharsMax
  if (isLonger(name, max)) return fault('field_too_long', field, tooLong(name, max))
  if (CONTROL.test(name)) return fault('field_invalid', field, { detail: 'it contains a control character' })
  return flawFault(name, field)
}

/** What is wrong with a value whose type is allowed; null when nothing is. */
export function valueFault(name: string, value: unknown): Fault | null {
  if (typeof value === 'string') return stringFault(name, value)
  if (typeof value === 'object') return nestedFault(value, attributeField(name), 1)
  return typeof value === 'number' && !Number.isFinite(value) ? infiniteFault(attributeField(name)) : null
}

/** The name of an attribute in a reply. A name that is itself too long is cut. */
export function attributeField(name: string): string {
  const { attributeNameCharsMax } = EVENT_LIMITS
  return `attributes.${name.length > 2 * attributeNameCharsMax ? `${name.slice(0, attributeNameCharsMax)}…` : name}`
}

const CONTROL = /\p{Cc}/u

function stringFault(name: string, value: string): Fault | null {
  const { stringCharsMax, stringBytesMax } = EVENT_LIMITS
  if (value.length > SHORT_UNITS) {
    if (isLonger(value, stringCharsMax)) {
      return fault('field_too_long', attributeField(name), tooLong(value, stringCharsMax))
    }
    const bytes = Buffer.byteLength(value)
    if (bytes > stringBytesMax) {
      const words = { max: stringBytesMax, unit: 'bytes', actual: bytes }
      return fault('field_too_long', attributeField(name), words)
    }
  }
  const flaw = flawOf(value)
  return flaw === null ? null : fault('field_invalid', attributeField(name), { detail: flaw })
}

/** A text of at most this many UTF-16 units, three bytes each, is within both limits. */
const SHORT_UNITS = Math.floor(EVENT_LIMITS.stringBytesMax / 3)

/** Objects may hold anything that can be stored, to a depth. */
function nestedFault(value: unknown, field: string, depth: number): Fault | null {
  if (typeof value === 'string') return flawFault(value, field)
  if (typeof value === 'number') return Number.isFinite(value) ? null : infiniteFault(field)
  if (typeof value !== 'object' || value === null) return null
  const max = EVENT_LIMITS.objectDepthMax
  if (depth > max) return fault('object_too_deep', field, { max })
  for (const [name, part] of Object.entries(value)) {
    const bad = Array.isArray(value) ? null : nestedNameFault(name, field)
    const found = bad ?? nestedFault(part, field, depth + 1)
    if (found !== null) return found
  }
  return null
}

function nestedNameFault(name: string, field: string): Fault | null {
  if (name === '__proto__') return fault('field_invalid', field, { detail: 'it has a reserved name in it' })
  return flawFault(name, field)
}

function flawFault(text: string, field: string): Fault | null {
  const flaw = flawOf(text)
  return flaw === null ? null : fault('field_invalid', field, { detail: flaw })
}

function infiniteFault(field: string): Fault {
  return fault('field_invalid', field, { detail: 'the number is too large' })
}

function tooLong(text: string, max: number): { readonly max: number; unit: string; actual: number } {
  return { max, unit: 'characters', actual: countChars(text) }
}
