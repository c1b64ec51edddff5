import { EVENT_LIMITS } from '../../rules/events.ts'
import type { EventWeek } from './week.ts'

/** The parts in which a question reads its events, one after the other: some weeks of receipt each. */
export type WeekParts = {
  /** The first id of each part but the first. The first part has all older events too, and the last all newer ones. */
  readonly cuts: readonly bigint[]
  readonly weeks: number
  readonly weeksPerPart: number
}

/** `weeks` are the weeks of events that there are, in any order. */
export function partWeeks(
  weeks: readonly EventWeek[],
  { fromAt, now }: { readonly fromAt: number; readonly now: number },
): WeekParts {
  // No event is received long before it happens, and none after now.
  const earliestAt = fromAt - EVENT_LIMITS.futureMsMax
  const read = weeks
    .filter(({ startsAt, endsAt }) => endsAt > earliestAt && startsAt <= now)
    .toSorted((one, other) => one.startsAt - other.startsAt)
  const weeksPerPart = Math.max(1, Math.ceil(read.length / PARTS_MAX))
  const cuts = read
    .filter((_, place) => place > 0 && place % weeksPerPart === 0)
    .map(({ firstId }) => firstId)
  return { cuts, weeks: read.length, weeksPerPart }
}

/** Each part makes the statement longer. */
const PARTS_MAX = 26

/** How far a question is. A question that reads its events twice reads each week twice. */
export type WeeksRead = { readonly read: number; readonly of: number }

/** `passes` is how often the events are read; `partsRead` counts through all passes. */
export function weeksRead(
  { cuts, weeks, weeksPerPart }: WeekParts,
  { passes, partsRead }: { readonly passes: number; readonly partsRead: number },
): WeeksRead {
  const parts = cuts.length + 1
  const passesRead = Math.min(passes, Math.floor(partsRead / parts))
  const read = passesRead * weeks + Math.min(weeks, (partsRead % parts) * weeksPerPart)
  return { read: Math.min(read, passes * weeks), of: passes * weeks }
}
