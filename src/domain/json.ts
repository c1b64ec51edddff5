/**
 * JSON that keeps every integer exact. An integer beyond 2^53 becomes a `bigint` on the way in and its own
 * digits again on the way out. A body without a run of 16 digits cannot hold one and takes the fast way.
 */
export function parseJson(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text)
  return JSON.parse(text, keepExact)
}

export function encodeJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? JSON.rawJSON(String(part)) : part,
  )
}

export type JsonObject = Readonly<Record<string, unknown>>

/** Tells an object from a list, from null and from everything that is not nested. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const LONG_DIGITS = /\d{16}/
const INTEGER = /^-?\d+$/

function keepExact(_: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const { source } = context
  return source !== undefined && INTEGER.test(source) ? BigInt(source) : value
}
