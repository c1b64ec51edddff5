import type { EventEntry } from '../../domain/events/entry.ts'
import { VISITOR_LIMITS } from '../../rules/people.ts'
import { visitorName } from '../../store/people/visitors.ts'
import type { VisitorCommand } from './visitor-command.ts'

/** Events that follow one another are stored together. */
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
 * The events of a browser. One that is a little before its profile only has another clock, and comes right after it:
 * a person whom the site's server made a moment ago is there when the page tells what they did (spec §4.2, E1).
 */
export function entriesOf(
  commands: readonly VisitorCommand[],
  { visitorId, since }: { readonly visitorId: string; readonly since: number | null },
): readonly EventEntry[] {
  const who = visitorName(visitorId)
  return commands.flatMap((command) => {
    if (command.kind !== 'event') return []
    const { event } = command
    const isClockError = since !== null && event.at >= since - VISITOR_LIMITS.clockErrorMsMax
    return [{ ...event, who, at: isClockError ? Math.max(event.at, since) : event.at }]
  })
}

/** A profile begins with what is first told of it, so that nothing it did comes before it (spec §4.2, E1). */
export function firstAt(commands: readonly VisitorCommand[], now: number): number {
  const times = commands.flatMap((command) => (command.kind === 'event' ? [command.event.at] : []))
  return Math.max(now - VISITOR_LIMITS.heldMsMax, Math.min(now, ...times))
}
