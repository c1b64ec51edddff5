/**
 * JSON that keeps every integer exact. An integer beyond 2^53 becomes a `bigint` on the way in and its own
 * digits again on the way out. A body without a run of 16 digits cannot hold one and takes the fast way.
 */
export function parseJson(text: string): unknown {
  if (!hasLongDigits(text)) return JSON.parse(text)
  return JSON.parse(text, keepExact)
}

/** Whether 16 digits stand in a row. Such a row covers one of every 16 places, so only those are looked at. */
export function hasLongDigits(text: string): boolean {
  for (let at = LONG_RUN - 1; at < text.length; at += LONG_RUN) {
    if (isDigit(text, at) && digitsAround(text, at) >= LONG_RUN) return true
  }
  return false
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

const LONG_RUN = 16
const INTEGER = /^-?\d+$/

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39
}

function digitsAround(text: string, at: number): number {
  let from = at
  while (isDigit(text, from - 1)) from -= 1
  let to = at
  while (isDigit(text, to + 1)) to += 1
  return to - from + 1
}

function writeExact(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value
}

function keepExact(_: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const { source } = context
  return source !== undefined && INTEGER.test(source) ? BigInt(source) : value
}
