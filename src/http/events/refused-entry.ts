import { normalEmail } from '../../domain/people/identifiers.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { encodeStart } from '../../domain/values/json-start.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import type { RejectedEntry } from '../../store/events/rejected-entries.ts'
import type { RefusedEntry } from '../fields/entry-list.ts'

/** A refused entry is kept as text, with the names in it, by which it is found when the person asks to be erased. */
export function keepRefused({ index, fault, given }: RefusedEntry): RejectedEntry {
  const entry = encodeStart(given, EVENT_LIMITS.rejectedCharsMax)
  return { index, fault, entry, identifiers: isJsonObject(given) ? namesIn(given) : [] }
}

/** As they were written, and as a profile has them. */
function namesIn({ userID, email, mobile }: JsonObject): readonly string[] {
  const normal = [
    typeof email === 'string' ? normalEmail(email) : null,
    typeof mobile === 'string' ? mobile.trim() : null,
  ]
  const names = new Set([userID, email, mobile, ...normal])
  return [...names].flatMap((name) =>
    typeof name === 'string' ? [name.slice(0, EVENT_LIMITS.rejectedCharsMax)] : [],
  )
}
