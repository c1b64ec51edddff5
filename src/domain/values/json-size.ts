import { isJsonObject, type JsonObject } from './json.ts'

/** The size of a value as JSON: exact when it is beyond the limit or near it, and otherwise no less than it is. */
type JsonSize = { readonly isLarger: boolean; readonly bytes: number }

/** Whether a value takes more bytes than that as JSON. A quick look that never guesses too low settles nearly all. */
export function measureJson(value: unknown, bytesMax: number): JsonSize {
  const atMost = bytesAtMost(value)
  if (atMost <= bytesMax) return { isLarger: false, bytes: atMost }
  const bytes = jsonBytes(value)
  return { isLarger: bytes > bytesMax, bytes }
}

/**
 * How many UTF-8 bytes a value takes as compact JSON. It is added up without writing it out: the entries of one call
 * may take 60 MB, and a copy of that would be as much garbage.
 */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return stringBytes(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value).length : NULL_BYTES
  if (typeof value === 'bigint') return String(value).length
  if (typeof value === 'boolean') return value ? 4 : 5
  if (typeof value !== 'object' || value === null) return NULL_BYTES
  return isJsonObject(value) ? objectBytes(value) : listBytes(Object.values(value))
}

const NULL_BYTES = 4

/** The quotes, and for each character that needs one, its escape. */
function stringBytes(text: string): number {
  const bytes = Buffer.byteLength(text) + 2
  if (!ESCAPED.test(text)) return bytes
  let escapes = 0
  for (const [character] of text.matchAll(ESCAPED_ALL)) escapes += escapeBytes(character)
  return bytes + escapes
}

const ESCAPED = /["\\\p{Cc}\p{Cs}]/u
const ESCAPED_ALL = /["\\\p{Cc}\p{Cs}]/gu
const SHORT = new Set(['"', '\\', '\b', '\t', '\n', '\f', '\r'])

/** How many more than the character itself: `\n` for a line break, `\u0007` for a bell. */
function escapeBytes(character: string): number {
  if (SHORT.has(character)) return 1
  const code = character.charCodeAt(0)
  if (code < 0x20) return 5
  // Half of a surrogate pair is counted as three bytes, and written as an escape of six.
  return code >= 0xd800 ? 3 : 0
}

function objectBytes(members: JsonObject): number {
  let bytes = 2
  let count = 0
  for (const name in members) {
    bytes += stringBytes(name) + 1 + jsonBytes(members[name])
    count += 1
  }
  return bytes + Math.max(0, count - 1)
}

function listBytes(parts: readonly unknown[]): number {
  let bytes = 2 + Math.max(0, parts.length - 1)
  for (const part of parts) bytes += jsonBytes(part)
  return bytes
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
