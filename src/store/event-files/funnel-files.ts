import type { FunnelCell } from '../../domain/events/funnel-answer.ts'
import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { LiteralBinds } from '../bind.ts'
import type { FunnelQuery } from '../events/funnel.ts'
import { type ColdRows, columnsOfTime, filesSql, rowsSql } from './cold-rows.ts'
import { duckInstant, duckText } from './duck-sql.ts'
import { firstPartsSql } from './first-event.ts'
import { hotTag } from './hot-csv.ts'
import { partColumns } from './key-columns.ts'
import { eventTag, withPeopleSql } from './people-csv.ts'
import { orderSql, plainTagSql, untagged } from './tags.ts'

/** The columns of a row of a funnel: its event, and the group of a first step. */
export function hotFunnelColumns({ steps, parts }: FunnelQuery, binds: LiteralBinds): readonly string[] {
  const first = `e.event_name = ${binds.add(steps[0])}`
  return [
    'e.profile_id',
    'e.event_name',
    `e.event_at at time zone 'UTC'`,
    'e.id',
    ...parts.map((part) => `case when ${first} then ${hotTag(part, binds)} end`),
  ]
}

/** The names of all events that a funnel reads. */
export function funnelNames({ steps, excluded }: FunnelQuery): readonly string[] {
  return [...new Set([...steps, ...excluded])]
}

/**
 * The statement of DuckDB that counts as `loadFunnel` does; null if only rows can answer. First steps are read with their parts, whose
 * columns may have to be united. All other steps are read without parts, so that DuckDB opens a file only when it reads it.
 */
export function funnelFilesSql(query: FunnelQuery, cold: ColdRows): string | null {
  const { steps, excluded, parts, fromAt, toAt, withinMs } = query
  const [first = '', ...others] = steps
  const tags = parts.map((part) => eventTag(part, columnsOfTime(cold, query)))
  if (tags.includes(null)) return null
  const keys = parts.map((_, place) => `k${place}`)
  const hot = (shown: string): string =>
    cold.csv === null ? '' : `union all select ${shown} from (${hotSelect(cold.csv, keys)})`
  const all = {
    names: funnelNames(query),
    fromAt,
    toAt: toAt + withinMs,
    columns: 'shared',
    conditions: [],
  } as const
  const starts = { names: [first], fromAt, toAt, columns: partColumns(parts), conditions: [] } as const
  const plain = ['profile_id', 'event_name', 'event_at', 'id']
  const named = [...plain, ...tags.map((tag, place) => `${tag} as k${place}`)].join(', ')
  const within = `interval '${Math.trunc(withinMs)} milliseconds'`
  const isEnded = excluded.length > 0
  const tables = [
    `e as not materialized (select ${plain.join(', ')} ${filesSql(cold, all)} ${hot(plain.join(', '))})`,
    `with_parts as not materialized (select ${named} ${filesSql(cold, starts)} ${hot([...plain, ...keys].join(', '))})`,
    `step0 as materialized (${withPeopleSql(startSql(query, keys), { ...query, keys, people: cold.people })})`,
    ...(isEnded ? [`ended as (${endedSql(excluded, within)})`] : []),
    ...others.map((name, at) => `step${at + 1} as materialized (${stepSql(at, { name, within, isEnded })})`),
  ]
  if (keys.length > 0) tables.push(...largestSql(query, keys))
  const counts = steps.flatMap((_, step) => [
    `select ${step} as step, null as place, null as key, ${COUNTS}, 0 as groups from step${step} as s`,
    ...(keys.length > 0 ? [groupedSql(step, keys)] : []),
  ])
  return `with ${tables.join(', ')} ${counts.join(' union all ')}`
}

function hotSelect(csv: string, keys: readonly string[]): string {
  const columns = {
    profile_id: 'BIGINT',
    event_name: 'VARCHAR',
    event_at: 'TIMESTAMP',
    id: 'BIGINT',
    ...Object.fromEntries(keys.map((key) => [key, 'VARCHAR'])),
  }
  const tags = keys.map((key) => `${plainTagSql(key)} as ${key}`)
  const shown = ['profile_id', 'event_name', 'event_at', 'id', ...tags]
  return `select ${shown.join(', ')} ${rowsSql(csv, columns)}`
}

/** The first start of each person, with its group. */
function startSql({ steps, parts, fromAt, toAt }: FunnelQuery, keys: readonly string[]): string {
  const shown = [
    'profile_id',
    'min(event_at) as started_at',
    'min(event_at) as at',
    ...firstPartsSql(parts, keys),
  ]
  return `select ${shown.join(', ')} from with_parts
    where event_name = ${duckText(steps[0] ?? '')} and event_at >= ${duckInstant(fromAt)} and event_at < ${duckInstant(toAt)}
    group by profile_id`
}

function endedSql(names: readonly string[], within: string): string {
  return `select e.profile_id, min(e.event_at) as at from e join step0 as s on s.profile_id = e.profile_id
    where e.event_name in (${names.map(duckText).join(', ')}) and e.event_at > s.started_at
      and e.event_at <= s.started_at + ${within}
    group by e.profile_id`
}

type StepOrder = { readonly name: string; readonly within: string; readonly isEnded: boolean }

function stepSql(before: number, { name, within, isEnded }: StepOrder): string {
  const step = `select e.profile_id, min(b.started_at) as started_at, min(e.event_at) as at
    from e join step${before} as b on b.profile_id = e.profile_id
    where e.event_name = ${duckText(name)} and e.event_at > b.at and e.event_at <= b.started_at + ${within}
    group by e.profile_id`
  if (!isEnded) return step
  return `select s.* from (${step}) as s left join ended on ended.profile_id = s.profile_id
    where ended.at is null or s.at <= ended.at`
}

const COUNTS = `count(*)::varchar as users,
  coalesce(quantile_cont((epoch_us(s.at) - epoch_us(s.started_at)) / 1e6, 0.5), 0) as seconds`

function largestSql({ groupsMax }: FunnelQuery, keys: readonly string[]): readonly string[] {
  const list = keys.join(', ')
  const order = `size desc, ${keys.map(orderSql).join(', ')}`
  return [
    `counted as (select ${list}, count(*) as size, count(*) over () as groups from step0 group by ${list}
      order by ${order} limit ${groupsMax})`,
    `largest as materialized (select ${list}, groups, row_number() over (order by ${order}) as place from counted)`,
  ]
}

function groupedSql(step: number, keys: readonly string[]): string {
  const shown = keys.map((key) => `min(largest.${key})`).join(', ')
  const same = keys.map((key) => `largest.${key} = f.${key}`).join(' and ')
  return `select ${step}, coalesce(largest.place, 0), case when any_value(largest.place) is not null
      then [${shown}] end, ${COUNTS},
      coalesce((select max(groups) from largest), 0)
    from step0 as f join step${step} as s on s.profile_id = f.profile_id left join largest on ${same}
    group by coalesce(largest.place, 0)`
}

export function funnelCellOf(row: readonly DuckDbCell[]): FunnelCell {
  const [step, place = null, key = null, users, seconds, groups] = row
  return {
    step: Number(step),
    group: place === null ? null : Number(place),
    key: Array.isArray(key) ? key.map((tag) => untagged(String(tag))) : null,
    users: Number(users),
    seconds: Number(seconds),
    groups: Number(groups),
  }
}
