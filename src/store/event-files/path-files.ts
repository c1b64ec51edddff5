import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { PathQuery, Paths } from '../events/paths.ts'
import { type ColdRows, filesSql, rowsSql } from './cold-rows.ts'
import { duckInstant, duckText } from './duck-sql.ts'

/** The columns of a row of paths. */
export const PATH_COLUMNS = ['e.profile_id', 'e.event_name', `e.event_at at time zone 'UTC'`, 'e.id']

/**
 * The statement of DuckDB that finds the paths that `loadPaths` finds. Time is cut into slices as long as a path may last: an event
 * can follow only a start in its own slice or in the one before, and most others are passed over before they are compared.
 */
export function pathFilesSql(query: PathQuery, cold: ColdRows): string {
  const { startEvent, depth, withinMs, fromAt, toAt, pathsMax } = query
  const columns = { profile_id: 'BIGINT', event_name: 'VARCHAR', event_at: 'TIMESTAMP', id: 'BIGINT' }
  const files = `select profile_id, event_name, event_at, id
    ${filesSql(cold, { names: null, fromAt, toAt: toAt + withinMs + 1, conditions: [] })}`
  const all = cold.csv === null ? files : `${files} union all select * ${rowsSql(cold.csv, columns)}`
  return `with e as not materialized (${all}),
    started as materialized (select profile_id, min(event_at) as at from e
      where event_name = ${duckText(startEvent)} and event_at < ${duckInstant(toAt)} group by profile_id),
    near as (select started.*, ${sliceSql('started.at', withinMs)} + unnest([0, 1]) as slice from started),
    next as (select e.profile_id, e.event_name,
        row_number() over (partition by e.profile_id order by e.event_at, e.id) as place
      from e join near as s on s.profile_id = e.profile_id and s.slice = ${sliceSql('e.event_at', withinMs)}
      where e.event_at > s.at and e.event_at <= s.at + interval '${Math.trunc(withinMs)} milliseconds'
      qualify place <= ${Math.trunc(depth)}),
    walked as materialized (select list(event_name order by place) as events from next group by profile_id),
    followed as (select events, count(*) as users from walked group by events
      union all select [], (select count(*) from started) - (select count(*) from walked)),
    counted as (select events, users, count(*) over () as paths, sum(users) over () as people
      from followed where users > 0)
    select events, users::varchar, paths::varchar, people::varchar from counted
    order by users desc, events limit ${Math.trunc(pathsMax)}`
}

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
