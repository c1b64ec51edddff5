import { VISITOR_LIMITS } from '../../rules/people.ts'
import { type EventEntry, toldTime } from '../events/entry.ts'
import type { Registration } from '../subscriptions/subscription.ts'
import { visitorName } from './identifiers.ts'
import type { ProfileEntry } from './profile-entry.ts'

/** One command of a page. It never names the person it is about: that is the visitor of the call. */
export type VisitorCommand = { readonly index: number } & (
  | { readonly kind: 'event'; readonly event: EventEntry }
  | { readonly kind: 'user'; readonly user: VisitorUser }
  | { readonly kind: 'subscribe'; readonly registration: Registration; readonly previous: string | null }
  | { readonly kind: 'unsubscribe'; readonly endpoint: string }
  | { readonly kind: 'logout' }
)

export type VisitorUser = {
  /** Null while the page has not said who its user is. */
  readonly userId: string | null
  readonly userHash: string | null
  readonly profile: ProfileEntry
}

/** Commands in their order; events that follow one another form a group, and are stored together. */
export function groupEvents(commands: readonly VisitorCommand[]): readonly (readonly VisitorCommand[])[] {
  const groups: VisitorCommand[][] = []
  for (const command of commands) {
    const last = groups.at(-1)
    if (command.kind === 'event' && last?.[0]?.kind === 'event') last.push(command)
    else groups.push([command])
  }
  return groups
}

/**
 * The events of a browser, as entries of its visitor. `since` is when the visitor's profile was made. A browser's clock
 * may be a little behind ours, so an event shortly before `since` is moved to it: the site's server may have made the
 * profile a moment ago, and an event before its profile starts no journey (spec §4.2, E1).
 */
export function visitorEntries(
  commands: readonly VisitorCommand[],
  { visitorId, since }: { readonly visitorId: string; readonly since: number | null },
): readonly EventEntry[] {
  const who = visitorName(visitorId)
  return commands.flatMap((command) => {
    if (command.kind !== 'event') return []
    const { event } = command
    const isClockError = since !== null && event.at >= since - VISITOR_LIMITS.clockErrorMsMax
    return [{ ...event, who, ...(isClockError ? toldTime(Math.max(event.at, since)) : {}) }]
  })
}

/** When a new profile begins: with the first event of the call, so that no event is before it (spec §4.2, E1). */
export function firstEventAt(commands: readonly VisitorCommand[], now: number): number {
  const times = commands.flatMap((command) => (command.kind === 'event' ? [command.event.at] : []))
  return Math.max(now - VISITOR_LIMITS.heldMsMax, Math.min(now, ...times))
}
