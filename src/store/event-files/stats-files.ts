import { unreachable } from '../../domain/unreachable.ts'
import { parseJson } from '../../domain/values/json.ts'
import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { LiteralBinds } from '../bind.ts'
import type { EventFilter } from '../events/filter.ts'
import type { StatsQuery, StatsRow } from '../events/stats.ts'
import { localTimeSql } from '../local-time-sql.ts'
import { type ColdRows, columnsOfTime, filesSql, rowsSql } from './cold-rows.ts'
import { textOf } from './duck-sql.ts'
import { attributePresent, attributeTag, NUMBER, partTag, readNumberSql, scalarTag } from './file-values.ts'
import { hotNumber, hotTag } from './hot-csv.ts'
import { localUnitsSql } from './local-units.ts'
import { orderSql, plainTagSql, untagged } from './tags.ts'

/** The columns of a row of statistics: its group, its person and its ltv. */
export function hotStatsColumns(query: StatsQuery, binds: LiteralBinds): readonly string[] {
  return [hotKey(query, binds), 'e.profile_id', hotNumber(null, binds)]
}

/** The sign of an attribute that is missing. Statistics tell it from an attribute whose value is null; questions do not. */
const MISSING = 'u'

const UNIT_MS = { hour: 3_600_000, day: 86_400_000 } as const

function hotKey({ by, timeZone, attribute }: StatsQuery, binds: LiteralBinds): string {
  switch (by) {
    case 'name':
      return hotTag({ kind: 'event' }, binds)
    case 'attribute': {
      const tag = hotTag({ kind: 'attribute', name: attribute }, binds)
      return `case when e.attributes ? ${binds.add(attribute)} then ${tag} else '${MISSING}' end`
    }
    case 'hour':
    case 'day': {
      const local = localTimeSql('e.event_at', `${binds.add(timeZone)}::text`)
      return `(extract(epoch from date_trunc('${by}', ${local})) / ${UNIT_MS[by] / 1_000})::bigint`
    }
    default:
      return unreachable(by)
  }
}

/** The statement of DuckDB that counts as `loadStats` does; null if only rows can answer, such as for one person. */
export function statsFilesSql(query: StatsQuery, cold: ColdRows): string | null {
  const { userId, eventName, fromAt, toAt, attribute } = query.filter
  const columns = columnsOfTime(cold, query.filter)
  const key = coldKey(query, columns)
  const condition = attribute === null ? 'true' : attributeSql(attribute, columns)
  if (userId !== null || key === null || condition === null) return null
  const names = eventName === null ? null : [eventName]
  const files = `select ${key} as key, profile_id, ltv::${NUMBER} as ltv
    ${filesSql(cold, { names, fromAt, toAt, columns: 'united', conditions: [condition] })}`
  const isTime = query.by === 'hour' || query.by === 'day'
  const all = cold.csv === null ? files : `${files} union all ${hotSelect(cold.csv, isTime)}`
  const order = isTime ? 'key' : `count(*) desc, ${orderSql('key')}`
  return `select key::varchar, count(*)::varchar, count(distinct profile_id)::varchar, sum(ltv)::varchar from (${all})
    group by key order by ${order} limit ${Math.trunc(query.limit)}`
}

function coldKey(query: StatsQuery, columns: ReadonlySet<string>): string | null {
  const { by, timeZone: zone, attribute, filter } = query
  switch (by) {
    case 'name':
      return partTag({ kind: 'event' }, columns)
    case 'attribute':
      return `case when ${attributePresent(attribute, columns)} then ${attributeTag(attribute, columns)} else '${MISSING}' end`
    case 'hour':
    case 'day':
      return localUnitsSql({ zone, fromAt: filter.fromAt, endAt: filter.toAt, unitMs: UNIT_MS[by] })
    default:
      return unreachable(by)
  }
}

/** The condition of a filter. Tags do not tell null from a missing attribute, and have no objects and lists. */
function attributeSql(
  { name, equals }: NonNullable<EventFilter['attribute']>,
  columns: ReadonlySet<string>,
): string | null {
  if (equals === null) return attributePresent(name, columns)
  const value = parseJson(equals)
  const isPlain =
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    typeof value === 'boolean'
  const wanted = isPlain ? scalarTag(value) : null
  return wanted === null ? null : `${attributeTag(name, columns)} = ${wanted}`
}

function hotSelect(csv: string, isTime: boolean): string {
  const columns = { key: isTime ? 'BIGINT' : 'VARCHAR', profile_id: 'BIGINT', ltv: 'VARCHAR' }
  const key = isTime ? 'key' : plainTagSql('key')
  return `select ${key}, profile_id, ${readNumberSql('ltv')} ${rowsSql(csv, columns)}`
}

export function statsRowOf(by: StatsQuery['by'], cells: readonly DuckDbCell[]): StatsRow {
  const [key, count, users, ltv] = cells
  return {
    key: shownKey(by, textOf(key)),
    count: BigInt(textOf(count)),
    users: BigInt(textOf(users)),
    ltv: textOf(ltv)
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, ''),
  }
}

function shownKey(by: StatsQuery['by'], key: string): unknown {
  if (by === 'name' || by === 'attribute') return key === MISSING ? null : untagged(key)
  const local = new Date(Number(key) * UNIT_MS[by]).toISOString()
  return by === 'day' ? local.slice(0, 10) : `${local.slice(0, 10)} ${local.slice(11, 13)}:00`
}
