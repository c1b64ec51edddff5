import { EVENT_LIMITS } from '../../rules/events.ts'
import { duckInstant } from './duck-sql.ts'

type LocalUnits = {
  readonly zone: string
  /** The time of all events. */
  readonly fromAt: number
  readonly endAt: number
  readonly unitMs: number
}

/**
 * The number of whole units between the beginning of 1970 and `event_at`, both on the clock of a zone: each change of the zone's offset
 * in the time is a case. Null if there are so many changes that the statement would be long.
 */
export function localUnitsSql({ zone, fromAt, endAt, unitMs }: LocalUnits): string | null {
  const cases: string[] = []
  let at = Temporal.Instant.fromEpochMilliseconds(fromAt).toZonedDateTimeISO(zone)
  while (cases.length <= CHANGES_MAX) {
    const shifted = `epoch_us(event_at) + ${Math.trunc(at.offsetNanoseconds / 1000)}`
    const next = at.getTimeZoneTransition('next')
    if (next === null || next.epochMilliseconds > endAt) {
      const local = cases.length === 0 ? `(${shifted})` : `case ${cases.join(' ')} else ${shifted} end`
      return floorSql(local, {
        unit: unitMs * 1_000,
        least: (EVENT_LIMITS.earliestAt - OFFSET_MS_MAX) * 1_000,
      })
    }
    cases.push(`when event_at < ${duckInstant(next.epochMilliseconds)} then ${shifted}`)
    at = next
  }
  return null
}

/** A clock of a zone is less than this behind the one of UTC. */
const OFFSET_MS_MAX = 86_400_000

/** The clocks of a zone that changes twice a year, for two centuries. */
const CHANGES_MAX = 400

/** Divides and rounds down. DuckDB rounds towards zero, so numbers down to the least one and a unit less are made positive for it. */
export function floorSql(
  number: string,
  { unit, least }: { readonly unit: number; readonly least: number },
): string {
  const units = Math.ceil(-least / unit) + 1
  return `((${number} + ${BigInt(units) * BigInt(unit)}) // ${unit} - ${units})`
}
