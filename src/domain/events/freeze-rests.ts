import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { WEEK_MS } from './week.ts'

/**
 * The time in milliseconds that the copy of one event may take, its rests included, if weeks with so many events, of all brands together,
 * are to be frozen. Neither the number of brands nor the time in which the events came in matters: the rest of the week pays for a burst.
 */
export function weekEventMs(events: number): number {
  const { eventMsMax, weekShareMax } = EVENT_FILE_LIMITS
  return Math.min(eventMsMax, (weekShareMax * WEEK_MS) / Math.max(1, events))
}

/**
 * The same for a file with so many events that is written again. Vacuum waits for the one transaction that copies them, so this copy and
 * its rests have as much time as a part of a week.
 */
export function fileEventMs(events: number): number {
  const { eventMsMax, partMsMax } = EVENT_FILE_LIMITS
  return Math.min(eventMsMax, partMsMax / Math.max(1, events))
}
