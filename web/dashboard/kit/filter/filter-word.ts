import type { SegmentFilter } from '../../../client/api/documents.ts'
import { encodeJson, parseJson } from '../../../client/json.ts'

/** A filter as a word of an address; null for one that is too long for it. */
export function filterWord(filter: SegmentFilter): string | null {
  const word = encodeJson(filter)
  return word.length > FILTER_CHARS_MAX ? null : word
}

const FILTER_CHARS_MAX = 2_000

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
