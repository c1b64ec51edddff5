import {
  EVENT_QUERY_LIMITS,
  EVENT_QUERY_SPANS,
  type EventQuerySpan,
} from '../../../src/rules/event-queries.ts'
import { useSearchWords } from '../kit/address.tsx'
import { addDays, dayIn, EVER, fromOf, LENGTHS, LONG_RANGES, type RangeName, useRange } from './range.ts'

/** The time that a question is about, as the API takes it. */
export type AskedTime = {
  readonly range: RangeName
  readonly from: string
  /** The last day; undefined: up to now. */
  readonly to: string | undefined
  /** How many days it has; null: all days. */
  readonly days: number | null
}

/** The time that the address names, in days of a zone. */
export function useAskedTime(zone: string | undefined): AskedTime {
  const [words] = useSearchWords()
  const range = useRange(LONG_RANGES)
  if (range === 'all') return { range, from: EVER, to: undefined, days: null }
  if (range !== 'dates') return { range, from: fromOf(range, zone), to: undefined, days: LENGTHS[range] }
  const to = dayWord(words['to'])
  const last = to ?? dayIn(zone, Date.now())
  const from = dayWord(words['from']) ?? addDays(last, 1 - LENGTHS['30d'])
  return { range, from, to, days: Math.max(1, 1 + daysBetween(from, last)) }
}

/** The fields of a question that say its time. */
export function timeFields({ from, to }: AskedTime): { readonly from: string; readonly to?: string } {
  return to === undefined ? { from } : { from, to }
}

/** A day that an address may name; a year that is only half typed names none. */
export function dayWord(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text) || text < EVER) return undefined
  return Number.isNaN(Date.parse(text)) ? undefined : text
}

/** The spans that the API cuts so much time into; none for all time. */
export function spansFor({ days }: AskedTime): readonly EventQuerySpan[] {
  if (days === null) return []
  return EVENT_QUERY_SPANS.filter(
    (span) => (days * 24 + 1) / LEAST_HOURS[span] <= EVENT_QUERY_LIMITS.spansMax,
  )
}

/** The span of which there are neither too few nor too many to look at. */
export function usualSpan(time: AskedTime): EventQuerySpan | undefined {
  const { days } = time
  if (days === null) return undefined
  const wanted = EVENT_QUERY_SPANS.find((span) => days <= DAYS_MAX[span])
  return spansFor(time).find((span) => span === wanted)
}

/** The most days for which a span is the usual one. */
const DAYS_MAX = { hour: 2, day: 120, week: Number.POSITIVE_INFINITY } as const

/** A day may have 23 hours. */
const LEAST_HOURS = { hour: 1, day: 23, week: 7 * 24 - 1 } as const

/** The days from one day to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)
}
