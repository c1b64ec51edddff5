/** Turns what a clock on a wall shows (milliseconds as if it were UTC) into an instant. */
export type WallClock = (wallMs: number) => number

/**
 * The wall clock of a time zone. A time that daylight saving skips moves forward; one that comes twice is the
 * first. Temporal is exact but costs microseconds, and the entries of a call lie close together, so the clock
 * remembers quarters of an hour; make a new one for each call.
 */
export function wallClock(timeZone: string): WallClock {
  if (timeZone === 'UTC') return (wallMs) => wallMs
  const quarters = new Map<number, Quarter>()
  return (wallMs) => {
    const start = Math.floor(wallMs / QUARTER_MS) * QUARTER_MS
    const quarter = quarters.get(start) ?? readQuarter(start, timeZone)
    quarters.set(start, quarter)
    return quarter.isEven ? quarter.startsAt + (wallMs - start) : instantOf(wallMs, timeZone)
  }
}

const QUARTER_MS = 15 * 60_000

/** Even when the zone's offset does not change within it. */
type Quarter = { readonly startsAt: number; readonly isEven: boolean }

function readQuarter(start: number, timeZone: string): Quarter {
  const startsAt = instantOf(start, timeZone)
  return { startsAt, isEven: instantOf(start + QUARTER_MS, timeZone) - startsAt === QUARTER_MS }
}

function instantOf(wallMs: number, timeZone: string): number {
  const wall = Temporal.Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO('UTC').toPlainDateTime()
  return wall.toZonedDateTime(timeZone).epochMilliseconds
}
