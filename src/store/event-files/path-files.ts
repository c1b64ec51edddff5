import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { PathQuery, Paths } from '../events/paths.ts'
import { type ColdRows, filesSql, rowsSql } from './cold-rows.ts'
import { duckInstant, duckText } from './duck-sql.ts'

/** The columns of a row of paths. */
export const PATH_COLUMNS = ['e.profile_id', 'e.event_name', `e.event_at at time zone 'UTC'`, 'e.id']

/**
 * The statement of DuckDB that finds the paths that `loadPaths` finds. Time is cut into slices as long as a path may last: an event
 * can follow only a start in its own slice or in the one before, and most others are passed over before they are compared. Nothing is
 * counted over a window: DuckDB 1.5 sometimes ends a statement with windows of few rows on several threads with an internal error.
 */
export function pathFilesSql(query: PathQuery, cold: ColdRows): string {
  const { startEvent, depth, withinMs, fromAt, toAt, pathsMax } = query
  const columns = { profile_id: 'BIGINT', event_name: 'VARCHAR', event_at: 'TIMESTAMP', id: 'BIGINT' }
  const files = `select profile_id, event_name, event_at, id
    ${filesSql(cold, { names: null, fromAt, toAt: toAt + withinMs + 1, columns: 'shared', conditions: [] })}`
  const all = cold.csv === null ? files : `${files} union all select * ${rowsSql(cold.csv, columns)}`
  return `with e as not materialized (${all}),
    started as materialized (select profile_id, min(event_at) as at from e
      where event_name = ${duckText(startEvent)} and event_at < ${duckInstant(toAt)} group by profile_id),
    near as (select started.*, ${sliceSql('started.at', withinMs)} + unnest([0, 1]) as slice from started),
    walked as materialized (select arg_min(e.event_name, ${PLACE}, ${Math.trunc(depth)}) as events
      from e join near as s on s.profile_id = e.profile_id and s.slice = ${sliceSql('e.event_at', withinMs)}
      where e.event_at > s.at and e.event_at <= s.at + interval '${Math.trunc(withinMs)} milliseconds'
      group by e.profile_id),
    followed as (select events, count(*) as users from walked group by events
      union all select [], (select count(*) from started) - (select count(*) from walked)),
    counted as materialized (select events, users from followed where users > 0)
    select events, users::varchar, (select count(*) from counted)::varchar, (select sum(users) from counted)::varchar from counted
    order by users desc, events limit ${Math.trunc(pathsMax)}`
}

/** The place of an event in time, as one number: events of the same instant stand in the order of their ids, which have 63 bits. */
const PLACE = 'epoch_us(e.event_at)::hugeint * 9223372036854775808 + e.id'

function sliceSql(instant: string, withinMs: number): string {
  return `(epoch_us(${instant}) // ${Math.trunc(withinMs) * 1_000})`
}

export function pathsOf(rows: readonly (readonly DuckDbCell[])[]): Paths {
  const shown = rows.map(([events, users]) => ({
    events: Array.isArray(events) ? events.map(String) : [],
    users: Number(users),
  }))
  const [, , paths = 0, people = 0] = rows[0] ?? []
  return { shown, paths: Number(paths), users: Number(people) }
}
