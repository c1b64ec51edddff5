import type { AttributeLimits } from '../../rules/attributes.ts'
import { type Fault, fault } from '../fault.ts'
import { countChars, flawOf, isLonger } from '../values/text.ts'

/** The fault of an attribute's name, or null. */
export function nameFault(name: string, limits: AttributeLimits): Fault | null {
  const field = attributeField(name, limits)
  if (name === '') return fault('field_invalid', field, { detail: 'an attribute needs a name' })
  // Objects are built from these names, and this one would become the object's parent instead of its member.
  if (name === '__proto__') return fault('field_invalid', field, { detail: 'this name is reserved' })
  const max = limits.nameCharsMax
  if (isLonger(name, max)) return fault('attribute_name_too_long', field, { max, actual: countChars(name) })
  if (CONTROL.test(name)) return fault('field_invalid', field, { detail: 'it contains a control character' })
  return flawFault(name, field)
}

/** The fault of a value whose type is allowed, or null. */
export function valueFault(name: string, value: unknown, limits: AttributeLimits): Fault | null {
  if (typeof value === 'string') return stringFault(name, value, limits)
  if (typeof value === 'object') {
    return nestedFault(value, { field: attributeField(name, limits), depthMax: limits.objectDepthMax }, 1)
  }
  if (typeof value !== 'number' || Number.isFinite(value)) return null
  return infiniteFault(attributeField(name, limits))
}

/** The name of an attribute in a reply. A name that is itself too long is cut. */
export function attributeField(name: string, { field, nameCharsMax }: AttributeLimits): string {
  return `${field}.${name.length > 2 * nameCharsMax ? `${name.slice(0, nameCharsMax)}…` : name}`
}

const CONTROL = /\p{Cc}/u

function stringFault(name: string, value: string, limits: AttributeLimits): Fault | null {
  const { stringCharsMax, stringBytesMax } = limits
  // A text this short, at three bytes for each unit, is within both limits.
  if (value.length * 3 > (stringBytesMax ?? stringCharsMax)) {
    if (isLonger(value, stringCharsMax)) {
      return fault('field_too_long', attributeField(name, limits), tooLong(value, stringCharsMax))
    }
    const bytes = Buffer.byteLength(value)
    if (stringBytesMax !== null && bytes > stringBytesMax) {
      const words = { max: stringBytesMax, unit: 'bytes', actual: bytes }
      return fault('field_too_long', attributeField(name, limits), words)
    }
  }
  const flaw = flawOf(value)
  return flaw === null ? null : fault('field_invalid', attributeField(name, limits), { detail: flaw })
}

type Nest = { readonly field: string; readonly depthMax: number }

/** Objects may hold any value that can be stored, up to a depth. */
function nestedFault(value: unknown, nest: Nest, depth: number): Fault | null {
  const { field, depthMax } = nest
  if (typeof value === 'string') return flawFault(value, field)
  if (typeof value === 'number') return Number.isFinite(value) ? null : infiniteFault(field)
  if (typeof value !== 'object' || value === null) return null
  if (depth > depthMax) return fault('object_too_deep', field, { max: depthMax })
  for (const [name, part] of Object.entries(value)) {
    const bad = Array.isArray(value) ? null : nestedNameFault(name, field)
    const found = bad ?? nestedFault(part, nest, depth + 1)
    if (found !== null) return found
  }
  return null
}

function nestedNameFault(name: string, field: string): Fault | null {
  if (name === '__proto__')
    return fault('field_invalid', field, { detail: 'it contains the reserved name __proto__' })
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
