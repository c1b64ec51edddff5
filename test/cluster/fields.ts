export type Fields = Readonly<Record<string, unknown>>

/** The fields of a JSON object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
