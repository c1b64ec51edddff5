import { encodeJson, type Json } from '../../../client/json.ts'

export const VALUE_TYPES = ['text', 'number', 'boolean'] as const

export type ValueType = (typeof VALUE_TYPES)[number]

/** The type of a value or of the first of a list; null where none is said yet. A text is never a number: `"18"` is not 18. */
export function typeOfValue(value: Json | undefined): ValueType | null {
  const single = Array.isArray(value) ? value[0] : value
  if (typeof single === 'string') return 'text'
  if (typeof single === 'boolean') return 'boolean'
  return typeof single === 'number' || typeof single === 'bigint' ? 'number' : null
}

/** A number as it was typed; a long integer stays exact. Null when it is none. */
export function numberIn(text: string): number | bigint | null {
  const trimmed = text.trim().replace(',', '.')
  const number = Number(trimmed)
  if (trimmed === '' || !Number.isFinite(number)) return null
  return INTEGER.test(trimmed) && !Number.isSafeInteger(number) ? BigInt(trimmed) : number
}

const INTEGER = /^-?\d+$/

/** The value that a text stands for; null when it stands for none of the type. */
export function valueIn(text: string, type: ValueType): string | number | bigint | boolean | null {
  if (type === 'number') return numberIn(text)
  if (type === 'boolean') return text === 'true' || text === 'false' ? text === 'true' : null
  return text
}

/** A value in a field. */
export function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? encodeJson(value) : String(value)
}

/** The values of a list as labels, each only once: a text that looks like a value beside it stands in quotes. */
export function labelsOf(values: readonly Json[]): readonly string[] {
  const seen = new Set<string>()
  return values.map((value) => {
    const plain = textOf(value)
    const label = seen.has(plain) ? encodeJson(plain) : plain
    seen.add(label)
    return label
  })
}

/** The values of labels: those of the list before stay as they are, new ones are read as the type. */
export function valuesOf(
  labels: readonly string[],
  { before, type }: { readonly before: readonly Json[]; readonly type: ValueType },
): readonly Json[] {
  const known = new Map(labelsOf(before).map((label, at) => [label, before[at] ?? null]))
  return labels.map((label) => known.get(label) ?? valueIn(label, type)).filter((value) => value !== null)
}

/** Values in another type, as far as they can be. */
export function convert(value: Json | undefined, type: ValueType): Json {
  if (Array.isArray(value)) {
    return value.map((one) => valueIn(textOf(one), type)).filter((one) => one !== null)
  }
  return value === null || value === undefined ? null : valueIn(textOf(value), type)
}

/** The user ids of a text, one a line. */
export function userIdsIn(text: string): readonly string[] {
  const ids = text.split('\n').map((line) => line.trim())
  return ids.filter((id) => id !== '')
}
