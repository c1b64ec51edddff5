import type { RetentionCell } from '../../domain/events/retention-answer.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { LiteralBinds } from '../bind.ts'
import type { RetentionDivision, RetentionQuery } from '../events/retention.ts'
import { type ColdRows, columnsOfTime, type FoundPeople, filesSql, rowsSql } from './cold-rows.ts'
import { duckInstant, duckText, textOf } from './duck-sql.ts'
import { firstPartsSql } from './first-event.ts'
import { hotTag } from './hot-csv.ts'
import { partColumns } from './key-columns.ts'
import { floorSql, localUnitsSql } from './local-units.ts'
import { eventTag, withPeopleSql } from './people-csv.ts'
import { orderSql, plainTagSql, untagged } from './tags.ts'

/** The columns of a row of a retention: its event, and the group of a start. */
export function hotRetentionColumns(
  { startEvent, division }: RetentionQuery,
  binds: LiteralBinds,
): readonly string[] {
  const event = ['e.profile_id', 'e.event_name', `e.event_at at time zone 'UTC'`]
  if (division === null) return event
  const isStart = startEvent === null ? 'true' : `e.event_name = ${binds.add(startEvent)}`
  const tags = division.parts.map((part) => `case when ${isStart} then ${hotTag(part, binds)} end`)
  return [...event, 'e.id', ...tags]
}

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
 * of the two events is read by its own name, so that a part of a file with neither is passed over. The periods in which a person came
 * back are bits of one number, so that memory grows with people and not with events. Null if only rows can answer.
 */
export function retentionFilesSql(query: RetentionQuery, cold: ColdRows): string | null {
  const { returnEvent, unit, periods, division } = query
  const bucket = bucketSql(query)
  const tags = (division?.parts ?? []).map((part) => eventTag(part, columnsOfTime(cold, query)))
  if (bucket === null || tags.includes(null)) return null
  const inPeriods = (events: string): string => `(select *, ${bucket} as bucket from (${events}))`
  const groups = division === null ? null : groupsSql(query, division, cold.people)
  const started = `started as materialized (select profile_id, min(bucket) as cohort from e where ${startSql(query)} group by profile_id)`
  const person = division === null ? 'profile_id, cohort' : 'profile_id, cohort, place'
  const cells = (groups?.cells ?? []).map((sql) => `union all ${sql}`).join(' ')
  const withParts = `with_parts as not materialized ${inPeriods(startsSql(query, tags, cold))}`
  return `with e as not materialized ${inPeriods(eventsSql(query, cold))},
    ${groups === null ? started : `${withParts}, ${groups.tables}`},
    returned as (select ${person}, bit_or(1::bigint << (bucket - cohort)) as periods from e join started using (profile_id)
      where bucket > cohort and bucket < cohort + ${Math.trunc(periods)}${namedSql(returnEvent)} group by ${person}),
    came as (select * from (select *, unnest(range(1, ${Math.trunc(periods)})) as period from returned)
      where (periods >> period) & 1 = 1),
    counted as (
      select cohort, 0 as period, count(*) as users from started group by cohort
      union all
      select cohort, period, count(*) as users from came group by cohort, period
    )
    select (date '1970-01-01' + (cohort * ${DAYS[unit]} - ${FIRST[unit]}))::varchar, period::integer, null::integer, null::integer,
      null, users::varchar, 0 from counted
    ${cells} order by 4 nulls first, 1, 2, 3`
}

/** The number of the period of an event. */
function bucketSql(query: RetentionQuery): string | null {
  const { unit, timeZone: zone, fromAt } = query
  const days = localUnitsSql({ zone, fromAt, endAt: retentionEnd(query), unitMs: DAY_MS })
  if (days === null) return null
  const earliest = Math.floor(EVENT_LIMITS.earliestAt / DAY_MS)
  const fromFirst = `(${days} + ${FIRST[unit]})`
  return `${floorSql(fromFirst, { unit: DAYS[unit], least: earliest })}::integer`
}

/** The events of files and rows. They are read without parts, so that DuckDB opens a file only when it reads it (`ColdChoice.columns`). */
function eventsSql(query: RetentionQuery, cold: ColdRows): string {
  const { fromAt, division } = query
  const toAt = retentionEnd(query)
  return `select ${EVENT} ${filesSql(cold, { names: null, fromAt, toAt, columns: 'shared', conditions: [] })}
    ${cold.csv === null ? '' : `union all select ${EVENT} from (${hotSelect(cold.csv, division)})`}`
}

const EVENT = 'profile_id, event_name, event_at'

/** The events of files and rows that may be starts, with their parts. */
function startsSql(query: RetentionQuery, tags: readonly (string | null)[], cold: ColdRows): string {
  const { startEvent, fromAt, toAt, division } = query
  const names = startEvent === null ? null : [startEvent]
  const columns = partColumns(division?.parts ?? [])
  const shown = [EVENT, 'id', ...tags.map((tag, place) => `${tag} as k${place}`)].join(', ')
  return `select ${shown} ${filesSql(cold, { names, fromAt, toAt, columns, conditions: [] })}
    ${cold.csv === null ? '' : `union all ${hotSelect(cold.csv, division)}`}`
}

function hotSelect(csv: string, division: RetentionDivision | null): string {
  const keys = keysOf(division)
  const columns = {
    profile_id: 'BIGINT',
    event_name: 'VARCHAR',
    event_at: 'TIMESTAMP',
    ...(division === null ? {} : { id: 'BIGINT' }),
    ...Object.fromEntries(keys.map((key) => [key, 'VARCHAR'])),
  }
  const plain = Object.keys(columns).filter((column) => !keys.includes(column))
  return `select ${[...plain, ...keys.map(plainTagSql)].join(', ')} ${rowsSql(csv, columns)}`
}

function keysOf(division: RetentionDivision | null): readonly string[] {
  return (division?.parts ?? []).map((_, place) => `k${place}`)
}

/** The condition of a start. */
function startSql({ startEvent, toAt }: RetentionQuery): string {
  return `event_at < ${duckInstant(toAt)}${namedSql(startEvent)}`
}

function namedSql(name: string | null): string {
  return name === null ? '' : ` and event_name = ${duckText(name)}`
}

/** The tables up to `started`, with the place of each person's group, and the cells of groups. */
function groupsSql(query: RetentionQuery, division: RetentionDivision, people: FoundPeople | null) {
  const { unit, periods } = query
  const keys = keysOf(division)
  const list = keys.join(', ')
  const order = `size desc, ${keys.map(orderSql).join(', ')}`
  const today = Math.floor((Date.parse(division.today) / DAY_MS + FIRST[unit]) / DAYS[unit])
  const last = `least(${Math.trunc(periods) - 1}, greatest(0, ${today} - cohort))`
  const shown = keys.map((key) => `min(${key})`).join(', ')
  const groups = 'coalesce((select max(groups) from largest), 0)'
  // Events of one instant are of one period, so their ids need not be compared.
  const first = ['arg_min(bucket, event_at) as cohort', ...firstPartsSql(division.parts, keys)]
  const starts = `select ${['profile_id', ...first].join(', ')} from with_parts where ${startSql(query)} group by profile_id`
  return {
    tables: `starts as materialized (${withPeopleSql(starts, { ...division, keys, people })}),
      counts as (select ${list}, count(*) as size, count(*) over () as groups from starts group by ${list}
        order by ${order} limit ${Math.trunc(division.groupsMax)}),
      largest as materialized (select ${list}, groups, row_number() over (order by ${order}) as place from counts),
      started as materialized (select starts.*, coalesce(place, 0)::integer as place from starts left join largest using (${list}))`,
    cells: [
      `select null, null, ${last}, place, case when place > 0 then [${shown}] end, count(*)::varchar, ${groups}
       from started group by ${last}, place`,
      `select null, period::integer, null, place, null, count(*)::varchar, ${groups} from came group by period, place`,
    ],
  }
}

export function retentionCellOf(row: readonly DuckDbCell[]): RetentionCell {
  const [cohort = null, period = null, begun = null, place = null, key = null, users, groups] = row
  return {
    cohort: cohort === null ? null : textOf(cohort),
    period: period === null ? null : Number(period),
    begun: begun === null ? null : Number(begun),
    group: place === null ? null : Number(place),
    key: Array.isArray(key) ? key.map((tag) => untagged(String(tag))) : null,
    users: BigInt(textOf(users)),
    groups: Number(groups),
  }
}
