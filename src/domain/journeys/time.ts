import { sendInstantOf } from '../push/schedule.ts'
import { readDate } from '../values/calendar.ts'

/** So many days from a date that is an attribute of the person, at a time of day in their zone. */
export type DateTrigger = {
  readonly kind: 'date'
  readonly attribute: string
  readonly offsetDays: number
  readonly at: string
  readonly isYearly: boolean
}

/** Begins at `from` on each of the days and ends at the next `to`, which may lie past midnight. */
export type QuietWindow = {
  readonly weekdays: readonly number[]
  readonly from: string
  readonly to: string
}

/** The first moment after `now` that has this time of day in the zone, on one of the days; none means any. */
export function nextMoment(
  { weekdays, at }: { readonly weekdays: readonly number[]; readonly at: string },
  zone: string,
  now: number,
): number {
  const today = dayIn(zone, now)
  // The same weekday a week on is the furthest there is; a day more, for a clock change at the border.
  for (let days = 0; days <= 8; days += 1) {
    const day = today.add({ days })
    if (weekdays.length > 0 && !weekdays.includes(day.dayOfWeek)) continue
    const moment = momentOf(day, at, zone)
    if (moment > now) return moment
  }
  throw new Error(`no ${at} within a week in ${zone}`)
}

/** When the quiet hours that hold at this moment end; null when none do. One window may lead into the next. */
export function quietUntil(windows: readonly QuietWindow[], zone: string, now: number): number | null {
  let until: number | null = null
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const end = endOfWindow(windows, zone, until ?? now)
    if (end === null) return until
    until = end
  }
  return until
}

/** Windows that touch each other are followed for a week at most; beyond that the step no longer waits for them. */
const ROUNDS_MAX = 21

function endOfWindow(windows: readonly QuietWindow[], zone: string, at: number): number | null {
  const today = dayIn(zone, at)
  const ends = windows.flatMap((window) =>
    [today.subtract({ days: 1 }), today].flatMap((day) => {
      if (!window.weekdays.includes(day.dayOfWeek)) return []
      const begin = momentOf(day, window.from, zone)
      const lastDay = window.to > window.from ? day : day.add({ days: 1 })
      const end = momentOf(lastDay, window.to, zone)
      return begin <= at && at < end ? [end] : []
    }),
  )
  return ends.length === 0 ? null : Math.max(...ends)
}

/** The moments within (`after`, `until`] at which a person's date is due; none for a value that is not a date. */
export function dateMoments(
  { offsetDays, at, isYearly }: DateTrigger,
  { value, zone }: { readonly value: unknown; readonly zone: string },
  span: { readonly after: number; readonly until: number },
): readonly number[] {
  const written = typeof value === 'string' ? readDate(value) : null
  if (written === null) return []
  const date = Temporal.Instant.fromEpochMilliseconds(written.wallMs).toZonedDateTimeISO('UTC').toPlainDate()
  const firstYear = dayIn(zone, span.after).subtract({ days: offsetDays + 1 }).year
  const lastYear = dayIn(zone, span.until).subtract({ days: offsetDays - 1 }).year
  const years = isYearly
    ? Array.from({ length: lastYear - firstYear + 1 }, (_, index) => firstYear + index)
    : []
  // The 29th of February is kept on the 28th in other years.
  const dates = isYearly ? years.map((year) => date.with({ year }, { overflow: 'constrain' })) : [date]
  return dates
    .map((day) => momentOf(day.add({ days: offsetDays }), at, zone))
    .filter((moment) => moment > span.after && moment <= span.until)
}

function dayIn(zone: string, at: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate()
}

function momentOf(day: Temporal.PlainDate, clock: string, zone: string): number {
  return sendInstantOf(`${day.toString()}T${clock}`, zone)
}

/**
 * The days on which a written date may fall due within a span, wherever the person is: `2026-05-17`, or `05-17` for
 * every year. It names a few too many; `dateMoments` decides.
 */
export function daysAround(
  { offsetDays, isYearly }: DateTrigger,
  { after, until }: { readonly after: number; readonly until: number },
): readonly string[] {
  const first = dayIn('UTC', after).subtract({ days: offsetDays + 1 })
  const last = dayIn('UTC', until).subtract({ days: offsetDays - 1 })
  const count = first.until(last, { largestUnit: 'days' }).days + 1
  const days = Array.from({ length: count }, (_, index) => first.add({ days: index }).toString())
  if (!isYearly) return days
  const yearly = days.map((day) => day.slice(5))
  return yearly.includes('02-28') ? [...yearly, '02-29'] : yearly
}
