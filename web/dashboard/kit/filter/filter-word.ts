import type { SegmentFilter } from '../../../client/api/documents.ts'
import { encodeJson, parseJson } from '../../../client/json.ts'

/** A filter as a word of an address; null for one that is too long for it. */
export function filterWord(filter: SegmentFilter): string | null {
  const word = encodeJson(filter)
  return encodeURIComponent(word).length > ADDRESS_CHARS_MAX ? null : word
}

/** Other words of an address need room too, and a server refuses one that is longer than the head of a request. */
const ADDRESS_CHARS_MAX = 5_000

/** The filter that an address has; null if it has none, or somebody has cut it. */
export function filterIn(text: string | undefined): SegmentFilter | null {
  try {
    const filter: unknown = text === undefined ? null : parseJson(text)
    return typeof filter === 'object' && filter !== null && !Array.isArray(filter) ? Object(filter) : null
  } catch {
    // A text that is no JSON says so only by throwing.
    return null
  }
}
