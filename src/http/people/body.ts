import { parseAttributes } from '../../domain/events/attributes.ts'
import type { EventEntry } from '../../domain/events/entry.ts'
import { knownAttributeFault } from '../../domain/events/known-attribute.ts'
import { fault } from '../../domain/fault.ts'
import type { Identifiers } from '../../domain/people/identifiers.ts'
import type { ProfileEntry } from '../../domain/people/profile-entry.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { TagChange } from '../../domain/subscriptions/subscription.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { PROFILE_ATTRIBUTES } from '../../rules/attributes.ts'
import { PROFILE_ENTRY_FIELDS, PROFILE_LIMITS } from '../../rules/people.ts'
import { type EventSettings, entryRules } from '../events/body.ts'
import { type EntryRules, parseEventEntry } from '../events/entry.ts'
import { type EntryList, type ParsedEntry, parseEntryList } from '../fields/entry-list.ts'
import { Type } from '../schema/schema.ts'
import { readTagChange } from '../subscriptions/tag-change.ts'
import { parseContacts, parseIdentifiers } from './identifiers.ts'

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

export type ProfileRules = {
  readonly isMerging: boolean
  /** The name of the field with the attributes: `user_attributes`, or `user_params` beside an event. */
  readonly field: string
  readonly goodNames: Set<string>
}

/** One person of `user/create`. Email and mobile may stand beside the attributes or among them (decisions §5). */
export function parseProfileEntry(
  given: unknown,
  index: number,
  rules: ProfileRules,
): Result<ParsedEntry<ProfileEntry>> {
  if (!isJsonObject(given)) return reject(fault('field_type', `nv[${index}]`, { expected: 'an object' }))
  const attributes = attributesIn(given, rules)
  if (!attributes.ok) return attributes
  const entry = liftContacts(given, attributes.value)
  const who = parseIdentifiers(entry, rules)
  if (!who.ok) return who
  const contacts = parseContacts(entry)
  if (!contacts.ok) return contacts
  const { email: _, mobile: __, ...own } = attributes.value
  const person = parseOwn(own, rules)
  if (!person.ok) return person
  const tags = parseTags(given['tags'])
  if (!tags.ok) return tags
  const unknownFields = Object.keys(given).filter((name) => !KNOWN.has(name) && name !== rules.field)
  return accept({
    entry: {
      index,
      who: who.value,
      ...changesOf(entry, contacts.value),
      ...person.value,
      tags: tags.value.change,
    },
    warnings: [...unknownFields.map((name) => warning('unknown_field', name)), ...tags.value.warnings],
  })
}

const KNOWN: ReadonlySet<string> = new Set(PROFILE_ENTRY_FIELDS)

function attributesIn(given: JsonObject, { field }: ProfileRules): Result<JsonObject> {
  const value = given[field]
  if (value === undefined || value === null) return accept({})
  return isJsonObject(value) ? accept(value) : reject(fault('field_type', field, { expected: 'an object' }))
}

/** The identifiers of an entry. An email or mobile beside the attributes wins over one among the attributes. */
function liftContacts(given: JsonObject, attributes: JsonObject): JsonObject {
  const { userID, email = attributes['email'], mobile = attributes['mobile'] } = given
  return { userID, email, mobile }
}

type Contacts = Pick<Identifiers, 'email' | 'mobile'>

/** Absent leaves an address as it is; null takes it away. */
function changesOf(entry: JsonObject, { email, mobile }: Contacts): Pick<ProfileEntry, 'email' | 'mobile'> {
  return {
    email: entry['email'] === undefined ? undefined : email,
    mobile: entry['mobile'] === undefined ? undefined : mobile,
  }
}

function parseOwn(
  own: JsonObject,
  rules: ProfileRules,
): Result<Pick<ProfileEntry, 'attributes' | 'shape' | 'removed'>> {
  const parsed = parseAttributes(own, { ...PROFILE_ATTRIBUTES, field: rules.field }, rules.goodNames)
  if (!parsed.ok) return parsed
  const bad = knownAttributeFault(own, rules.field)
  if (bad !== null) return reject(bad)
  const { values, shape, absent } = parsed.value
  return accept({ attributes: values, shape, removed: absent })
}

type Tags = { readonly change: TagChange | null; readonly warnings: readonly Warning[] }

/** A plain list is short for replacing all tags. */
function parseTags(given: unknown): Result<Tags> {
  if (given === undefined || given === null) return accept({ change: null, warnings: [] })
  const tags = Array.isArray(given) ? { set: given } : given
  if (!isJsonObject(tags)) {
    return reject(
      fault('field_type', 'tags', { expected: 'a list of strings, or an object with add and remove' }),
    )
  }
  const { change, faults, warnings } = readTagChange(Object.entries(tags))
  const [first, ...others] = faults
  return first === undefined ? accept({ change, warnings }) : reject(first, ...others)
}

/** One entry of `user_event/create`: the profile is saved first, then its event. */
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

/** The body of `user/delete`: the people to erase. */
export function parseNamesBody(
  body: unknown,
  { isMerging }: { readonly isMerging: boolean },
): Result<EntryList<NamedEntry>> {
  return parseEntryList(body, PROFILE_LIMITS.entriesMax, (given, index) =>
    parseName(given, index, { isMerging }),
  )
}

export type NamedEntry = { readonly index: number; readonly who: Identifiers }

function parseName(
  given: unknown,
  index: number,
  settings: { readonly isMerging: boolean },
): Result<ParsedEntry<NamedEntry>> {
  if (!isJsonObject(given)) return reject(fault('field_type', `nv[${index}]`, { expected: 'an object' }))
  const who = parseIdentifiers(given, settings)
  return who.ok ? accept({ entry: { index, who: who.value }, warnings: [] }) : who
}

export const UNMERGE_BODY = Type.Object({
  userID: Type.Optional(
    Type.String({
      maxLength: PROFILE_LIMITS.userIdCharsMax,
      description: 'The person whose latest merge is undone.',
    }),
  ),
  merge_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The merge to undo; userData lists the merges.',
    }),
  ),
})
