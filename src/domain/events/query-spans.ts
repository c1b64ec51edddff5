import type { EventQuerySpan } from '../../rules/event-queries.ts'
import { cutSpans } from '../series/spans.ts'

type AskedRange = {
  /** Null when the range is one span. */
  readonly every: EventQuerySpan | null
  readonly zone: string
  readonly fromAt: number
  readonly toAt: number
}

/**
 * The edges of the spans that a question about events is answered for: whole hours, days or weeks of the zone, or the
 * range as it was asked for.
 */
export function querySpans({ every, ...range }: AskedRange): readonly number[] {
  return every === null ? [range.fromAt, range.toAt] : cutSpans({ by: every, ...range })
}

/**
 * The edges of the period before, which has as many spans and ends where these begin. Whole days are moved by days of the
 * calendar, so that a change of clocks does not move the edge of a day.
 */
export function spansBefore(zone: string, edges: readonly number[]): readonly number[] {
  const first = edges[0] ?? 0
  const last = edges.at(-1) ?? first
  if (!edges.every((edge) => isMidnight(zone, edge))) return edges.map((edge) => edge - (last - first))
  const { days } = localDay(zone, first).until(localDay(zone, last))
  return edges.map((edge) => localDay(zone, edge).subtract({ days }).toZonedDateTime(zone).epochMilliseconds)
}

function localDay(zone: string, at: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate()
}

function isMidnight(zone: string, at: number): boolean {
  return localDay(zone, at).toZonedDateTime(zone).epochMilliseconds === at
}
