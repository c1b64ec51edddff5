import { isJsonObject } from '../../domain/values/json.ts'
import { pathTo } from '../../domain/values/path.ts'
/** Reading a JSON Schema as plain data, without trusting its shape. */
export type Members = Readonly<Record<string, unknown>>

/** The members of an object; none for anything else. */
export function membersOf(value: unknown): Members {
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value)) : {}
}

/** The fields an object schema names, or null when any name is welcome. */
export function fieldsOf(schema: unknown): Members | null {
  const { type, properties, additionalProperties, patternProperties } = membersOf(schema)
  if (type !== 'object' || additionalProperties !== undefined || patternProperties !== undefined) return null
  return isJsonObject(properties) ? membersOf(properties) : null
}

/** The part of a document that a JSON pointer such as `#/properties/name` leads to. */
export function partAt(root: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce((part: unknown, step) => stepInto(part, unescapeStep(step)), root)
}

/** A pointer into a body as people write it: `/steps/0/title` is `steps[0].title`. */
export function fieldAt(pointer: string): string {
  const steps = pointer.split('/').slice(1).map(unescapeStep)
  return steps.reduce((path, step) => pathTo(path, /^\d+$/.test(step) ? Number(step) : step), '')
}

function stepInto(part: unknown, step: string): unknown {
  if (Array.isArray(part)) return part[Number(step)]
  return membersOf(part)[step]
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
