/**
 * JSON that keeps every integer exact. An integer beyond 2^53 becomes a `bigint` on the way in and its own
 * digits again on the way out. A body without a run of 16 digits cannot hold one and takes the fast way.
 */
export function parseJson(text: string): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text)
  return JSON.parse(text, keepExact)
}

/** A bigint is the one thing that stops the plain way; asking every value for it first would cost five times more. */
export function encodeJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, writeExact)
  }
}

export type JsonObject = Readonly<Record<string, unknown>>

/** Tells an object from a list, from null and from everything that is not nested. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const LONG_DIGITS = /\d{16}/
const INTEGER = /^-?\d+$/

function writeExact(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value
}

function keepExact(_: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const { source } = context
  return source !== undefined && INTEGER.test(source) ? BigInt(source) : value
}
