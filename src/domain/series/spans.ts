import type { SeriesSpan } from '../../rules/series.ts'

const MINUTE_MS = 60_000
export const SPAN_MS = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
  week: 7 * 24 * 60 * MINUTE_MS,
} as const satisfies Record<SeriesSpan, number>

export type SpanRange = {
  readonly by: SeriesSpan
  readonly zone: string
  readonly fromAt: number
  readonly toAt: number
}

/**
 * The whole spans of a zone that a range of time touches: the beginning of each, and the end of the last. A day of a
 * change of clocks has 23 or 25 hours; a week begins on a Monday.
 */
export function cutSpans({ by, zone, fromAt, toAt }: SpanRange): readonly number[] {
  const edges = [startOf(by, zone, fromAt)]
  for (let last = fromAt; last < toAt; ) {
    const begun = edges.at(-1) ?? fromAt
    last = endOf(by, zone, begun)
    edges.push(last)
  }
  return edges
}

function startOf(by: SeriesSpan, zone: string, at: number): number {
  if (by === 'minute') return Math.floor(at / MINUTE_MS) * MINUTE_MS
  const local = localTime(zone, at)
  if (by === 'hour') return floorHour(local)
  const day = local.toPlainDate()
  return firstMoment(by === 'day' ? day : day.subtract({ days: day.dayOfWeek - 1 }), zone)
}

function endOf(by: SeriesSpan, zone: string, startsAt: number): number {
  if (by === 'minute') return startsAt + MINUTE_MS
  const local = localTime(zone, startsAt)
  if (by !== 'hour') return firstMoment(local.toPlainDate().add({ days: by === 'day' ? 1 : 7 }), zone)
  // Where clocks are set back by half an hour, the hour before would begin again.
  const end = floorHour(local.add({ hours: 1 }))
  return end > startsAt ? end : startsAt + SPAN_MS.hour
}

function localTime(zone: string, at: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
}

function floorHour(local: Temporal.ZonedDateTime): number {
  return local.round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds
}

/** The first moment of a day, which is not midnight where clocks are set forward at midnight. */
function firstMoment(day: Temporal.PlainDate, zone: string): number {
  return day.toZonedDateTime(zone).epochMilliseconds
}

/** An edge as replies write it: with the offset of its zone, so that the day and the hour can be read. */
export function edgeText(zone: string, at: number): string {
  return localTime(zone, at).toString({ timeZoneName: 'never', smallestUnit: 'second' })
}
