import { toldTime } from '../../domain/events/entry.ts'
import { fault } from '../../domain/fault.ts'
import type { VisitorCommand } from '../../domain/people/visitor-command.ts'
import type { ExtraHosts } from '../../domain/push/push-endpoint.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { flawOf } from '../../domain/values/text.ts'
import { PROFILE_ATTRIBUTES } from '../../rules/attributes.ts'
import { VISITOR_COMMANDS, VISITOR_LIMITS } from '../../rules/people.ts'
import { SUBSCRIPTION_LIMITS } from '../../rules/subscriptions.ts'
import { entryRules } from '../events/body.ts'
import { type EntryRules, parseEventEntry } from '../events/entry.ts'
import type { LockBook } from '../events/lock-book.ts'
import { type EntryList, type ParsedEntry, parseEntryList } from '../fields/entry-list.ts'
import { Type } from '../schema/schema.ts'
import { parseSubscriptionBody } from '../subscriptions/body.ts'
import { type ProfileRules, parseProfileEntry } from './body.ts'

export type VisitorBody = {
  readonly token: string
  /** The browser's present push endpoint; its subscription will belong to the person who uses the browser. */
  readonly endpoint: string | null
  readonly commands: EntryList<VisitorCommand>
}

export type VisitorSettings = {
  readonly now: number
  readonly timeZone: string
  readonly extraHosts: ExtraHosts
  readonly locks?: LockBook
}

/** The body of `POST /api/v1/visitors/commands`: the visitor's token, and the commands in their order. */
export function parseVisitorBody(body: unknown, settings: VisitorSettings): Result<VisitorBody> {
  if (!isJsonObject(body)) return reject(fault('not_an_object'))
  const token = textIn(body, 'visitor', VISITOR_LIMITS.tokenCharsMax)
  if (!token.ok) return token
  if (token.value === null) return reject(fault('field_missing', 'visitor'))
  const endpoint = textIn(body, 'endpoint', SUBSCRIPTION_LIMITS.endpointCharsMax)
  if (!endpoint.ok) return endpoint
  const { now } = settings
  const sentAt = body['sent_at'] ?? now
  if (typeof sentAt !== 'number' || !Number.isSafeInteger(sentAt)) {
    return reject(fault('field_type', 'sent_at', { expected: 'milliseconds since 1970' }))
  }
  // Email and mobile identify nobody here: a page could write anybody's.
  const rules = {
    events: entryRules({ ...settings, isMerging: false }),
    profiles: { isMerging: false, field: PROFILE_ATTRIBUTES.field, goodNames: new Set<string>() },
    extraHosts: settings.extraHosts,
    lagMs: Math.abs(now - sentAt) <= VISITOR_LIMITS.clockErrorMsMax ? 0 : now - sentAt,
  }
  const { commandsMax } = VISITOR_LIMITS
  const commands = parseEntryList({ nv: body['commands'] }, commandsMax, (given, index) =>
    parseCommand(given, index, rules),
  )
  if (!commands.ok) return reject(commandsFault(body['commands']))
  const { loginsMax } = VISITOR_LIMITS
  if (countLogins(commands.value.entries) > loginsMax) {
    const detail = `they log in more than ${loginsMax} people, one after the other`
    return reject(fault('field_invalid', 'commands', { detail }))
  }
  return accept({ token: token.value, endpoint: endpoint.value, commands: commands.value })
}

/** A page that says again who its user is changes nothing. */
function countLogins(commands: readonly VisitorCommand[]): number {
  let count = 0
  let current: string | null = null
  for (const command of commands) {
    if (command.kind === 'logout') current = null
    if (command.kind !== 'user' || command.user.userId === null || command.user.userId === current) continue
    current = command.user.userId
    count += 1
  }
  return count
}

function commandsFault(given: unknown) {
  const max = VISITOR_LIMITS.commandsMax
  if (Array.isArray(given) && given.length > max) {
    return fault('too_many_entries', 'commands', { max, actual: given.length })
  }
  return fault('field_type', 'commands', { expected: `a list of 1 to ${max} commands` })
}

type CommandRules = {
  readonly events: EntryRules
  readonly profiles: ProfileRules
  readonly extraHosts: ExtraHosts
  /** How far the browser's clock is behind ours. */
  readonly lagMs: number
}

/** A command that may be carried out, or the first thing that is wrong with it. */
function parseCommand(
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
  const time = toldTime(Math.max(happenedAt, now - VISITOR_LIMITS.heldMsMax))
  const event = { ...parsed.value.entry, ...time }
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

/** The fields of a subscription that a browser may set. An id or a person would lead to another person's device. */
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

function textIn(given: JsonObject, field: string, max: number): Result<string | null> {
  const value = given[field]
  if (value === undefined || value === null) return accept(null)
  if (typeof value !== 'string') return reject(fault('field_type', field, { expected: 'a string' }))
  if (value.length > max)
    return reject(fault('field_too_long', field, { max, unit: 'characters', actual: value.length }))
  const detail = flawOf(value)
  return detail === null ? accept(value) : reject(fault('field_invalid', field, { detail }))
}

export const COMMANDS_BODY = Type.Object({
  visitor: Type.String({ description: 'The token that POST /api/v1/visitors gave this browser.' }),
  sent_at: Type.Optional(
    Type.Integer({
      description: 'The browser’s clock in milliseconds since 1970, so that Beckon can correct its error.',
    }),
  ),
  endpoint: Type.Optional(
    Type.String({
      description: 'The push endpoint of the browser; its subscription follows login and logout.',
    }),
  ),
  commands: Type.Array(Type.Object({ do: Type.Enum([...VISITOR_COMMANDS]) }), {
    minItems: 1,
    maxItems: VISITOR_LIMITS.commandsMax,
    description: 'The commands, in order. Each is checked by itself.',
  }),
})
