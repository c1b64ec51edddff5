import type { FieldValue } from './field.ts'

/** The values of a body by name. An absent value is null. Each value was checked against its row in `rules/`. */
type Values = ReadonlyMap<string, FieldValue>

export function textIn(values: Values, name: string): string | null {
  const value = values.get(name)
  return typeof value === 'string' ? value : null
}

export function int64In(values: Values, name: string): bigint | null {
  const value = values.get(name)
  return typeof value === 'bigint' ? value : null
}

/** An integer whose row keeps it far below 2^53. */
export function numberIn(values: Values, name: string): number | null {
  const value = int64In(values, name)
  return value === null ? null : Number(value)
}

export function isSetIn(values: Values, name: string): boolean {
  return values.get(name) === true
}

export function listIn(values: Values, name: string): readonly string[] | null {
  const value = values.get(name)
  return Array.isArray(value) ? value : null
}

export function objectIn(values: Values, name: string): ReadonlyMap<string, unknown> | null {
  const value = values.get(name)
  return value instanceof Map ? value : null
}
