import { encodeJson, isJsonObject } from '../../domain/json.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import type { RejectedEntry } from '../../store/rejected-entries.ts'
import type { RefusedEntry } from './entry-list.ts'

/** A refused entry is kept as text, with the names in it, by which it is found when the person asks to be erased. */
export function keepRefused({ index, fault, given }: RefusedEntry): RejectedEntry {
  const entry = encodeJson(given).slice(0, EVENT_LIMITS.rejectedCharsMax)
  const names = isJsonObject(given) ? [given['userID'], given['email'], given['mobile']] : []
  const identifiers = names.flatMap((name) =>
    typeof name === 'string' ? [name.slice(0, EVENT_LIMITS.rejectedCharsMax)] : [],
  )
  return { index, fault, entry, identifiers }
}
