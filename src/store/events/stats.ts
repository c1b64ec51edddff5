import type { StatsGroup } from '../../rules/events.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { needing } from '../event-needs.ts'
import { localTimeSql } from '../local-time-sql.ts'
import { type EventFilter, filterNeed, filterSql, notErasedSql } from './filter.ts'

export type StatsQuery = {
  readonly filter: EventFilter
  readonly by: StatsGroup
  /** For hours and days. */
  readonly timeZone: string
  /** The attribute to count values of, when grouped by attribute. */
  readonly attribute: string
  readonly limit: number
}

export type StatsRow = {
  /** The start of an hour or a day in the brand's zone, a name, or an attribute's value. */
  readonly key: unknown
  readonly count: bigint
  readonly users: bigint
  readonly ltv: string
}

/**
 * How often, and by how many people. Times are in order; names and values come by how often they occur, most frequent
 * first.
 */
export async function loadStats(tx: Db, query: StatsQuery): Promise<readonly StatsRow[]> {
  const { filter, by, timeZone, attribute, limit } = query
  const binds = new Binds()
  const where = `${filterSql(filter, binds)} and ${notErasedSql(binds.add(filter.brandId))}`
  const key = keySql(by, { timeZone, attribute }, binds)
  const order = by === 'hour' || by === 'day' ? 'key' : 'count desc, key'
  const isBare = by !== 'attribute' && filter.attribute === null
  const values = needing(binds.values, { ...filterNeed(filter), isBare })
  const { rows } = await tx.query<StatsRow>(
    `select ${shownSql(by)} as key, count, users, trim_scale(ltv) as ltv from (
       select ${key} as key, count(*) as count, count(distinct profile_id) as users, sum(ltv) as ltv
       from events as e where ${where} group by 1 order by ${order} limit ${binds.add(limit)}
     ) as counted order by ${order}`,
    values,
  )
  return rows
}

function keySql(
  by: StatsGroup,
  { timeZone, attribute }: Pick<StatsQuery, 'timeZone' | 'attribute'>,
  binds: Binds,
): string {
  // Names are in the order of their bytes, as in files, whatever the collation of the database is.
  if (by === 'name') return 'e.event_name collate "C"'
  if (by === 'attribute') return `e.attributes -> ${binds.add(attribute)}::text`
  return `date_trunc('${by}', ${localTimeSql('e.event_at', `${binds.add(timeZone)}::text`)})`
}

/** How a key is shown. Times are grouped as times, and turned into text once each. */
function shownSql(by: StatsGroup): string {
  if (by === 'name' || by === 'attribute') return 'key'
  return `to_char(key, '${by === 'hour' ? 'YYYY-MM-DD HH24:00' : 'YYYY-MM-DD'}')`
}
