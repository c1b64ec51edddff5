import { SERIES_MINUTES, type SeriesSpan } from '../../rules/series.ts'
import { offsetFinder } from './offsets.ts'

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
  const offsetAt = offsetFinder(zone)
  for (let last = fromAt; last < toAt; ) {
    const begun = edges.at(-1) ?? fromAt
    const { offsetMs, toAt: changesAt } = offsetAt(begun)
    const end = endWithout(SPAN_MS[by], begun + offsetMs) - offsetMs
    last = end < changesAt ? end : endOf(by, zone, begun)
    edges.push(last)
  }
  return edges
}

/** The end of a span by the clocks of its zone, where none of them changes. Monday is the fourth day of 1970. */
function endWithout(spanMs: number, begunAt: number): number {
  const shift = spanMs === SPAN_MS.week ? 4 * SPAN_MS.day : 0
  return (Math.floor((begunAt - shift) / spanMs) + 1) * spanMs + shift
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

/** Stored spans of one length, from an instant on; without an end when `toAt` is null. */
export type StoredRun = { readonly minutes: number; readonly fromAt: number; readonly toAt: number | null }

type WantedSpans = {
  readonly by: SeriesSpan
  readonly edges: readonly number[]
  /** Whether everything since the last span is wanted too. */
  readonly isOpen: boolean
}

/**
 * The fewest stored spans that the asked ones are sums of: full hours, and quarters of an hour only where an edge lies
 * within an hour. Every edge must begin a quarter, or a minute where minutes are asked for.
 */
export function storedRuns({ by, edges, isOpen }: WantedSpans): readonly StoredRun[] {
  const [first = 0, last = first] = [edges[0], edges.at(-1)]
  if (by === 'minute') return [{ minutes: SERIES_MINUTES.minute, fromAt: first, toAt: isOpen ? null : last }]
  const runs: StoredRun[] = []
  edges.forEach((fromAt, place) => {
    const toAt = edges[place + 1] ?? (isOpen ? null : fromAt)
    for (const run of wholeHours(fromAt, toAt)) {
      const before = runs.at(-1)
      if (before === undefined || before.minutes !== run.minutes) runs.push(run)
      else runs[runs.length - 1] = { ...before, toAt: run.toAt }
    }
  })
  return runs
}

/** A span as the quarters before its first full hour, its full hours, and the quarters after the last. */
function wholeHours(fromAt: number, toAt: number | null): readonly StoredRun[] {
  const { hour, quarter } = SERIES_MINUTES
  const firstHour = Math.ceil(fromAt / SPAN_MS.hour) * SPAN_MS.hour
  const lastHour = toAt === null ? null : Math.floor(toAt / SPAN_MS.hour) * SPAN_MS.hour
  if (lastHour !== null && lastHour <= firstHour)
    return fromAt === toAt ? [] : [{ minutes: quarter, fromAt, toAt }]
  const runs: readonly StoredRun[] = [
    { minutes: quarter, fromAt, toAt: firstHour },
    { minutes: hour, fromAt: firstHour, toAt: lastHour },
    { minutes: quarter, fromAt: lastHour ?? 0, toAt: lastHour === null ? 0 : toAt },
  ]
  return runs.filter((run) => run.fromAt !== run.toAt)
}

/** Edges as replies write them: with the offset of their zone, so that the day and the hour can be read. */
export function edgeTexts(zone: string, edges: readonly number[]): readonly string[] {
  const offsetAt = offsetFinder(zone)
  return edges.map((at) => {
    const { offsetMs, offsetText } = offsetAt(at)
    return `${new Date(at + offsetMs).toISOString().slice(0, -'.000Z'.length)}${offsetText}`
  })
}
