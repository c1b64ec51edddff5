import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { PathQuery, Paths } from '../events/paths.ts'
import { type ColdRows, filesSql, rowsSql } from './cold-rows.ts'
import { duckInstant, duckText } from './duck-sql.ts'

/** The columns of a row of paths. */
export const PATH_COLUMNS = ['e.profile_id', 'e.event_name', `e.event_at at time zone 'UTC'`, 'e.id']

/** The statement of DuckDB that finds the paths that `loadPaths` finds. */
export function pathFilesSql(query: PathQuery, cold: ColdRows): string {
  const { startEvent, depth, withinMs, fromAt, toAt, pathsMax } = query
  const columns = { profile_id: 'BIGINT', event_name: 'VARCHAR', event_at: 'TIMESTAMP', id: 'BIGINT' }
  const files = `select profile_id, event_name, event_at, id
    ${filesSql(cold, { names: null, fromAt, toAt: toAt + withinMs + 1, conditions: [] })}`
  const all = cold.csv === null ? files : `${files} union all select * ${rowsSql(cold.csv, columns)}`
  return `with e as not materialized (${all}),
    started as materialized (select profile_id, min(event_at) as at from e
      where event_name = ${duckText(startEvent)} and event_at < ${duckInstant(toAt)} group by profile_id),
    next as (select e.profile_id, e.event_name,
        row_number() over (partition by e.profile_id order by e.event_at, e.id) as place
      from e join started as s on s.profile_id = e.profile_id
      where e.event_at > s.at and e.event_at <= s.at + interval '${Math.trunc(withinMs)} milliseconds'
      qualify place <= ${Math.trunc(depth)}),
    walked as (select s.profile_id, coalesce(list(next.event_name order by next.place)
        filter (where next.place is not null), []) as events
      from started as s left join next on next.profile_id = s.profile_id group by s.profile_id),
    counted as (select events, count(*) as users, count(*) over () as paths, sum(count(*)) over () as people
      from walked group by events)
    select events, users::varchar, paths::varchar, people::varchar from counted
    order by users desc, events limit ${Math.trunc(pathsMax)}`
}

export function pathsOf(rows: readonly (readonly DuckDbCell[])[]): Paths {
  const shown = rows.map(([events, users]) => ({
    events: Array.isArray(events) ? events.map(String) : [],
    users: Number(users),
  }))
  const [, , paths = 0, people = 0] = rows[0] ?? []
  return { shown, paths: Number(paths), users: Number(people) }
}
