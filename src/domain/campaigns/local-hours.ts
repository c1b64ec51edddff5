/** Quarter hours are numbered from the beginning of 1970. Every zone of today is a whole number of them from UTC. */
export const QUARTER_MS = 900_000
const QUARTERS_PER_HOUR = 4
/** Zones change their offset twice a year, and some change it more often for Ramadan. */
const CHANGES_MAX = 8

export function quarterOf(at: number): number {
  return Math.floor(at / QUARTER_MS)
}

/** The number of the hour that the clock of a zone shows in a quarter hour, counted from the beginning of 1970. */
export type LocalHours = (quarter: number) => number

export function hourOfDay(localHour: number): number {
  return ((localHour % 24) + 24) % 24
}

/** The clock of a zone, for quarter hours of a span of time. The changes of its offset are looked up once. */
export function localHoursIn(
  zone: string,
  { from, until }: { readonly from: number; readonly until: number },
): LocalHours {
  const offsets = offsetsIn(zone, { from, until })
  return (quarter) => {
    const { shift } = offsets.findLast(({ since }) => quarter >= since) ?? offsets[0]
    return Math.floor((quarter + shift) / QUARTERS_PER_HOUR)
  }
}

/** The distance from UTC in quarter hours, from a quarter hour on. */
type Offset = { readonly since: number; readonly shift: number }

function offsetsIn(
  zone: string,
  { from, until }: { readonly from: number; readonly until: number },
): readonly [Offset, ...Offset[]] {
  let at = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone)
  const offsets: [Offset, ...Offset[]] = [offsetAt(at)]
  for (let change = 0; change < CHANGES_MAX; change += 1) {
    const next = at.getTimeZoneTransition('next')
    if (next === null || next.epochMilliseconds > until) break
    offsets.push(offsetAt(next))
    at = next
  }
  return offsets
}

function offsetAt(at: Temporal.ZonedDateTime): Offset {
  return { since: quarterOf(at.epochMilliseconds), shift: Math.floor(at.offsetNanoseconds / QUARTER_NS) }
}

const QUARTER_NS = QUARTER_MS * 1_000_000
