import { fault } from '../../domain/fault.ts'
import type { VisitorCommand } from '../../domain/people/visitor-command.ts'
import type { ExtraHosts } from '../../domain/push/push-endpoint.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { flawOf } from '../../domain/values/text.ts'
import { VISITOR_COMMANDS, VISITOR_LIMITS } from '../../rules/people.ts'
import { SUBSCRIPTION_LIMITS } from '../../rules/subscriptions.ts'
import { type EntryRules, parseEventEntry } from '../events/entry.ts'
import type { ParsedEntry } from '../fields/entry-list.ts'
import { parseSubscriptionBody } from '../subscriptions/body.ts'
import { type ProfileRules, parseProfileEntry } from './profile-entry.ts'

export type CommandRules = {
  readonly events: EntryRules
  readonly profiles: ProfileRules
  readonly extraHosts: ExtraHosts
  /** How far the browser's clock is behind ours. */
  readonly lagMs: number
}

/** A command that may be carried out, or the first thing that is wrong with it. */
export function parseCommand(
  given: unknown,
  index: number,
  rules: CommandRules,
): Result<ParsedEntry<VisitorCommand>> {
  if (!isJsonObject(given))
    return reject(fault('field_type', `commands[${index}]`, { expected: 'an object' }))
  const { do: name, at, ...rest } = given
  const kind = VISITOR_COMMANDS.find((known) => known === name)
  if (kind === undefined) {
    return reject(fault('field_type', 'do', { expected: `one of ${VISITOR_COMMANDS.join(', ')}` }))
  }
  switch (kind) {
    case 'event':
      return parseEvent({ ...rest, at }, index, rules)
    case 'user':
      return parseUser(rest, index, rules)
    case 'subscribe':
      return parseSubscribe(rest, index, rules)
    case 'unsubscribe': {
      const endpoint = textIn(rest, 'endpoint', SUBSCRIPTION_LIMITS.endpointCharsMax)
      if (!endpoint.ok) return endpoint
      if (endpoint.value === null) return reject(fault('field_missing', 'endpoint'))
      return accept({ entry: { index, kind, endpoint: endpoint.value }, warnings: [] })
    }
    case 'logout':
      return accept({ entry: { index, kind }, warnings: [] })
    default:
      return unreachable(kind)
  }
}

/** The parsers of the contract want a name; a visitor is none that a caller could write. */
const NOBODY = 'visitor'

/** `at` is what the browser's clock said; a clock that is wrong by years still tells how long ago it was. */
function parseEvent(
  given: JsonObject,
  index: number,
  rules: CommandRules,
): Result<ParsedEntry<VisitorCommand>> {
  const { at, ...entry } = given
  if (at !== undefined && (typeof at !== 'number' || !Number.isSafeInteger(at))) {
    return reject(fault('field_type', 'at', { expected: 'milliseconds since 1970' }))
  }
  const { now } = rules.events
  const happenedAt = at === undefined ? now : Math.min(now, at + rules.lagMs)
  const parsed = parseEventEntry({ ...entry, userID: NOBODY }, index, rules.events)
  if (!parsed.ok) return parsed
  const event = { ...parsed.value.entry, at: Math.max(happenedAt, now - VISITOR_LIMITS.heldMsMax) }
  return accept({ entry: { index, kind: 'event', event }, warnings: parsed.value.warnings })
}

function parseUser(
  given: JsonObject,
  index: number,
  rules: CommandRules,
): Result<ParsedEntry<VisitorCommand>> {
  const { user_hash: _, ...entry } = given
  const userHash = textIn(given, 'user_hash', VISITOR_LIMITS.userHashChars)
  if (!userHash.ok) return userHash
  const isNamed = entry['userID'] !== undefined && entry['userID'] !== null
  const parsed = parseProfileEntry(
    { ...entry, userID: isNamed ? entry['userID'] : NOBODY },
    index,
    rules.profiles,
  )
  if (!parsed.ok) return parsed
  const { entry: profile, warnings } = parsed.value
  const user = { userId: isNamed ? profile.who.userId : null, userHash: userHash.value, profile }
  return accept({ entry: { index, kind: 'user', user }, warnings })
}

/** Only what a browser can know of itself. An id or a person would be a way to somebody else's device. */
function parseSubscribe(
  given: JsonObject,
  index: number,
  { extraHosts }: CommandRules,
): Result<ParsedEntry<VisitorCommand>> {
  const { subscription, language, time_zone, browser, app_version } = given
  const previous = textIn(given, 'previous', SUBSCRIPTION_LIMITS.endpointCharsMax)
  if (!previous.ok) return previous
  const body = { platform: 'web', subscription, language, time_zone, browser, app_version }
  const parsed = parseSubscriptionBody(present(body), extraHosts)
  if (!parsed.ok) return parsed
  const { registration, warnings } = parsed.value
  return accept({ entry: { index, kind: 'subscribe', registration, previous: previous.value }, warnings })
}

function present(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

export function textIn(given: JsonObject, field: string, max: number): Result<string | null> {
  const value = given[field]
  if (value === undefined || value === null) return accept(null)
  if (typeof value !== 'string') return reject(fault('field_type', field, { expected: 'a string' }))
  if (value.length > max)
    return reject(fault('field_too_long', field, { max, unit: 'characters', actual: value.length }))
  const detail = flawOf(value)
  return detail === null ? accept(value) : reject(fault('field_invalid', field, { detail }))
}
