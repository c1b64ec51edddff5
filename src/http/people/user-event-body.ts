import type { EventEntry } from '../../domain/events/entry.ts'
import { fault } from '../../domain/fault.ts'
import type { ProfileEntry } from '../../domain/people/profile-entry.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import { type EventSettings, entryRules } from '../events/body.ts'
import { type EntryRules, parseEventEntry } from '../events/entry.ts'
import { type EntryList, type ParsedEntry, parseEntryList } from '../fields/entry-list.ts'
import { type ProfileRules, parseProfileEntry } from './profile-entry.ts'

/** A person and what they did: the profile comes first, then the event. */
export type UserEvent = { readonly index: number; readonly profile: ProfileEntry; readonly event: EventEntry }

/** The body of `user_event/create`: `nv` is one entry, or a list of them (decisions §5). */
export function parseUserEventBody(body: unknown, settings: EventSettings): Result<EntryList<UserEvent>> {
  const profileRules = { isMerging: settings.isMerging, field: PARAMS, goodNames: new Set<string>() }
  const eventRules = entryRules(settings)
  return parseEntryList(asList(body), PROFILE_LIMITS.entriesMax, (given, index) =>
    parseUserEvent(given, index, { profileRules, eventRules }),
  )
}

const PARAMS = 'user_params'

function asList(body: unknown): unknown {
  return isJsonObject(body) && isJsonObject(body['nv']) ? { ...body, nv: [body['nv']] } : body
}

type UserEventRules = { readonly profileRules: ProfileRules; readonly eventRules: EntryRules }

function parseUserEvent(
  given: unknown,
  index: number,
  { profileRules, eventRules }: UserEventRules,
): Result<ParsedEntry<UserEvent>> {
  if (!isJsonObject(given)) return reject(fault('field_type', `nv[${index}]`, { expected: 'an object' }))
  const { [PARAMS]: params, tags, ...event } = given
  const { userID, email, mobile } = event
  const person = { userID, email, mobile, [PARAMS]: params, tags }
  const profile = parseProfileEntry(person, index, profileRules)
  if (!profile.ok) return profile
  const { who } = profile.value.entry
  const named = { ...event, userID: who.userId, email: who.email, mobile: who.mobile }
  const parsed = parseEventEntry(named, index, eventRules)
  if (!parsed.ok) return parsed
  return accept({
    entry: { index, profile: profile.value.entry, event: parsed.value.entry },
    warnings: [...profile.value.warnings, ...parsed.value.warnings],
  })
}
