import { fault } from '../../domain/fault.ts'
import type { VisitorCommand } from '../../domain/people/visitor-command.ts'
import type { ExtraHosts } from '../../domain/push/push-endpoint.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { PROFILE_ATTRIBUTES } from '../../rules/attributes.ts'
import { VISITOR_LIMITS } from '../../rules/people.ts'
import { SUBSCRIPTION_LIMITS } from '../../rules/subscriptions.ts'
import { entryRules } from '../events/body.ts'
import { type EntryList, parseEntryList } from '../fields/entry-list.ts'
import { parseCommand, textIn } from './visitor-command.ts'

export type VisitorBody = {
  readonly token: string
  /** The push endpoint the browser has now, which is to belong to whoever uses it. */
  readonly endpoint: string | null
  readonly commands: EntryList<VisitorCommand>
}

export type VisitorSettings = {
  readonly now: number
  readonly timeZone: string
  readonly extraHosts: ExtraHosts
}

/** The body of `POST /api/v1/visitors/commands`: who asks, and in which order what was done. */
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
    const detail = `more than ${loginsMax} people log in, one after the other`
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
