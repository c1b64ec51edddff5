/** A stretch of time, without its end, in which the clocks of a zone have the same distance to UTC. */
export type OffsetStretch = {
  readonly fromAt: number
  readonly toAt: number
  readonly offsetMs: number
  /** As replies write it: `+05:45`. */
  readonly offsetText: string
}

/**
 * Finds the stretch of a moment. Moments that are asked for one after the other are in the same stretch until clocks
 * change, so a series of a thousand hours asks `Temporal` a few times.
 */
export function offsetFinder(zone: string): (at: number) => OffsetStretch {
  let last: OffsetStretch | null = null
  return (at) => {
    if (last === null || at < last.fromAt || at >= last.toAt) last = findStretch(zone, at)
    return last
  }
}

function findStretch(zone: string, at: number): OffsetStretch {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  return {
    fromAt: at,
    toAt: local.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: local.offsetNanoseconds / 1e6,
    offsetText: local.toString({ timeZoneName: 'never', smallestUnit: 'second' }).slice(DATE_TIME_CHARS),
  }
}

const DATE_TIME_CHARS = '2026-05-17T00:00:00'.length
