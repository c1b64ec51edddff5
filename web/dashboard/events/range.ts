import { useSearchWords } from '../kit/address.tsx'

/** The days of the time ranges that end now. */
export const LENGTHS = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365 } as const

/** A time range that ends now, all time, or two dates that the address has. */
export type RangeName = keyof typeof LENGTHS | 'all' | 'dates'

export const SHORT_RANGES = ['24h', '7d', '30d', '90d'] as const satisfies readonly RangeName[]
export const LONG_RANGES = [...SHORT_RANGES, '1y', 'all', 'dates'] as const satisfies readonly RangeName[]

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The range of these that the address names. */
export function useRange<Name extends RangeName>(names: readonly Name[]): Name | '30d' {
  const [words] = useSearchWords()
  return names.find((name) => name === words['range']) ?? '30d'
}

/**
 * The beginning of a range, as the API takes it: a whole hour, or a day in the zone. It stays the same for as long as it
 * can, so that an open page asks nothing twice.
 */
export function fromOf(range: keyof typeof LENGTHS, timeZone: string | undefined): string {
  const now = Date.now()
  if (range === '24h') return new Date(now - (now % HOUR_MS) - 23 * HOUR_MS).toISOString()
  return dayIn(timeZone, now - (LENGTHS[range] - 1) * DAY_MS)
}

/** yyyy-MM-dd, as it is in Sweden every day. */
export function dayIn(timeZone: string | undefined, at: number): string {
  const zone = timeZone === undefined ? {} : { timeZone }
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  return new Intl.DateTimeFormat('sv-SE', { ...parts, ...zone }).format(at)
}

/** Days later, for a day as the API writes it. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

type RowsOf = {
  readonly name?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly attribute?: string | undefined
  readonly value?: string | undefined
  /** The parts that a question divides by and the values of one group, as JSON. */
  readonly by?: string | undefined
  readonly group?: string | undefined
  /** In the place of one group: the values of those groups that are left out, as JSON. */
  readonly others?: string | undefined
  /** The conditions of a question on its events, as JSON. */
  readonly where?: string | undefined
  readonly segment?: string | undefined
  /** The filter of the people of a question, as JSON. */
  readonly people?: string | undefined
  /** An attribute of which the events have a mistyped value. */
  readonly mistyped?: string | undefined
}

/** A beginning before all events: the API would take the last 30 days. */
export const EVER = '1970-01-01'

/** The address of the events that a number counts. */
export function rowsAddress(rows: RowsOf): string {
  const given = Object.entries(rows).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return `/events/rows?${new URLSearchParams(given).toString()}`
}
