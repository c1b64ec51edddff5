import { type Fault, fault } from '../fault.ts'

/**
 * The hours of the day, on a person's own clock, in which a brand sends nothing but transactional messages. They begin
 * at `from` and end at `until`, which may lie past midnight. `inside` says what becomes of a message that falls into them.
 */
export type QuietHours = {
  readonly from: string
  readonly until: string
  readonly inside: 'later' | 'drop'
}

/** Quiet hours that begin and end at the same time would hold always or never. */
export function quietHoursFault({ from, until }: QuietHours): Fault | null {
  if (from !== until) return null
  return fault('field_invalid', 'quiet_hours.until', { detail: 'it must differ from quiet_hours.from' })
}

/**
 * When the quiet hours that hold at this moment end; null when none do. The clock on the wall decides. Where a change of
 * the zone lets it jump out of the quiet hours, they end with the jump; an hour that it shows twice is quiet twice.
 */
export function quietHoursEnd(hours: QuietHours, zone: string, now: number): number | null {
  let at = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone)
  if (!isQuiet(hours, at)) return null
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const end = nextEnd(hours, at)
    const change = at.getTimeZoneTransition('next')
    if (change === null || change.epochMilliseconds >= end.epochMilliseconds) return end.epochMilliseconds
    if (!isQuiet(hours, change)) return change.epochMilliseconds
    at = change
  }
  return at.epochMilliseconds
}

/** A zone changes twice a year, and quiet hours are shorter than a day. */
const ROUNDS_MAX = 4

function isQuiet({ from, until }: QuietHours, at: Temporal.ZonedDateTime): boolean {
  const clock = at.toPlainTime()
  const isAfterFrom = Temporal.PlainTime.compare(clock, from) >= 0
  const isBeforeUntil = Temporal.PlainTime.compare(clock, until) < 0
  return from < until ? isAfterFrom && isBeforeUntil : isAfterFrom || isBeforeUntil
}

/** The next time at which the clock shows the end. */
function nextEnd({ until }: QuietHours, at: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const isTomorrow = Temporal.PlainTime.compare(at.toPlainTime(), until) >= 0
  const wall = at
    .toPlainDate()
    .add({ days: isTomorrow ? 1 : 0 })
    .toPlainDateTime(until)
  const end = wall.toZonedDateTime(at.timeZoneId, { disambiguation: 'compatible' })
  const isOver = end.epochMilliseconds <= at.epochMilliseconds
  return isOver ? wall.toZonedDateTime(at.timeZoneId, { disambiguation: 'later' }) : end
}
