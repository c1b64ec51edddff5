import { EVENT_LIMITS } from '../../rules/events.ts'
import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { RetentionQuery, RetentionRow } from '../events/retention.ts'
import { type ColdRows, filesSql, rowsSql } from './cold-rows.ts'
import { duckInstant, duckText, textOf } from './duck-sql.ts'
import { floorSql, localUnitsSql } from './local-units.ts'

/** The columns of a row of a retention. */
export const RETENTION_COLUMNS = ['e.profile_id', 'e.event_name', `e.event_at at time zone 'UTC'`]

/** The names of the events that a retention reads; null for all. */
export function retentionNames({ startEvent, returnEvent }: RetentionQuery): readonly string[] | null {
  return startEvent === null || returnEvent === null ? null : [...new Set([startEvent, returnEvent])]
}

/** The end of the time in which people can come back. A day may have an hour more, and a zone a day of its own. */
export function retentionEnd({ toAt, periods, unit }: RetentionQuery): number {
  return toAt + (periods + 1) * DAYS[unit] * DAY_MS + DAY_MS
}

const DAYS = { day: 1, week: 7 } as const
/** Weeks begin on Monday, and 1970 began on a Thursday, three days after one. */
const FIRST = { day: 0, week: 3 } as const
const DAY_MS = 86_400_000

/**
 * The statement of DuckDB that counts as `loadRetention` does. Periods are numbers, which DuckDB makes and compares faster than dates. Each
 * of the two events is read by its own name, so that a part of a file with neither is passed over. Null if only rows can answer, which know every change of a zone.
 */
export function retentionFilesSql(query: RetentionQuery, cold: ColdRows): string | null {
  const { startEvent, returnEvent, unit, periods, fromAt, toAt } = query
  const endAt = retentionEnd(query)
  const columns = { profile_id: 'BIGINT', event_name: 'VARCHAR', event_at: 'TIMESTAMP' }
  const files = `select profile_id, event_name, event_at ${filesSql(cold, { names: null, fromAt, toAt: endAt, conditions: [] })}`
  const all = cold.csv === null ? files : `${files} union all select * ${rowsSql(cold.csv, columns)}`
  const days = localUnitsSql({ zone: query.timeZone, fromAt, endAt, unitMs: DAY_MS })
  if (days === null) return null
  const earliest = Math.floor(EVENT_LIMITS.earliestAt / DAY_MS)
  const bucket = `${floorSql(`(${days} + ${FIRST[unit]})`, { unit: DAYS[unit], least: earliest })}::integer`
  return `with e as not materialized (select profile_id, event_name, event_at, ${bucket} as bucket from (${all})),
    started as materialized (select profile_id, min(bucket) as cohort from e
      where event_at < ${duckInstant(toAt)}${namedSql(startEvent)} group by profile_id),
    returned as (select distinct profile_id, bucket from e where true${namedSql(returnEvent)}),
    counted as (
      select cohort, 0 as period, count(*) as users from started group by cohort
      union all
      select cohort, bucket - cohort as period, count(*) as users
      from started join returned using (profile_id)
      where bucket > cohort and bucket < cohort + ${Math.trunc(periods)} group by 1, 2
    )
    select (date '1970-01-01' + (cohort * ${DAYS[unit]} - ${FIRST[unit]}))::varchar, period::integer, users::varchar from counted order by 1, 2`
}

function namedSql(name: string | null): string {
  return name === null ? '' : ` and event_name = ${duckText(name)}`
}

export function retentionRowOf([cohort, period, users]: readonly DuckDbCell[]): RetentionRow {
  return { cohort: textOf(cohort), period: Number(period), users: BigInt(textOf(users)) }
}
