import type { ProfileEntry } from '../../domain/profile-entry.ts'
import type { Result } from '../../domain/result.ts'
import { PROFILE_ATTRIBUTES } from '../../rules/attributes.ts'
import { PROFILE_LIMITS } from '../../rules/profiles.ts'
import { type EntryList, parseEntryList } from './entry-list.ts'
import { parseProfileEntry } from './profile-entry.ts'

/** The body of `user/create` (decisions §5). */
export function parseProfileBody(
  body: unknown,
  { isMerging }: { readonly isMerging: boolean },
): Result<EntryList<ProfileEntry>> {
  const rules = { isMerging, field: PROFILE_ATTRIBUTES.field, goodNames: new Set<string>() }
  return parseEntryList(body, PROFILE_LIMITS.entriesMax, (given, index) =>
    parseProfileEntry(given, index, rules),
  )
}
