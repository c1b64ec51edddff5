import { encodeJson, isJsonObject, type JsonObject } from './json.ts'

/**
 * Whether a value takes more UTF-8 bytes than that as JSON. Writing it out to measure it is slow, so it is done
 * only when a quick look, which never guesses too low, cannot rule it out.
 */
export function measureJson(value: unknown, bytesMax: number): { readonly isLarger: boolean; bytes: number } {
  const atMost = bytesAtMost(value)
  if (atMost <= bytesMax) return { isLarger: false, bytes: atMost }
  const bytes = Buffer.byteLength(encodeJson(value))
  return { isLarger: bytes > bytesMax, bytes }
}

/** One UTF-16 unit at its worst: a control character, written as an escape of six bytes. */
const UNIT_BYTES_MAX = 6
/** The quotes, colon and comma of a member, or the brackets of a list. */
const PUNCTUATION_BYTES = 6
/** The longest number, such as -1.2345678901234567e-300. */
const NUMBER_BYTES_MAX = 25

function bytesAtMost(value: unknown): number {
  if (typeof value === 'string') return value.length * UNIT_BYTES_MAX + PUNCTUATION_BYTES
  if (typeof value === 'bigint') return String(value).length
  if (typeof value !== 'object' || value === null) return NUMBER_BYTES_MAX
  return isJsonObject(value) ? membersAtMost(value) : partsAtMost(Object.values(value))
}

function membersAtMost(members: JsonObject): number {
  let bytes = PUNCTUATION_BYTES
  for (const name in members) {
    bytes += name.length * UNIT_BYTES_MAX + PUNCTUATION_BYTES + bytesAtMost(members[name])
  }
  return bytes
}

function partsAtMost(parts: readonly unknown[]): number {
  let bytes = PUNCTUATION_BYTES
  for (const part of parts) bytes += PUNCTUATION_BYTES + bytesAtMost(part)
  return bytes
}
