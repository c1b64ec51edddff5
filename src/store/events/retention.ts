import type { RetentionCell } from '../../domain/events/retention-answer.ts'
import { Binds, writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { anyEvents, type EventNeed, needing } from '../event-needs.ts'
import { localTimeSql } from '../local-time-sql.ts'
import { notErasedSql } from './filter.ts'
import { type EventPart, keySql, largestSql, personJoinSql } from './parts.ts'

export type RetentionQuery = {
  readonly brandId: number
  /** The event that puts people into a cohort, and the event that shows that they came back; null is any event. */
  readonly startEvent: string | null
  readonly returnEvent: string | null
  readonly unit: 'day' | 'week'
  readonly periods: number
  readonly timeZone: string
  readonly fromAt: number
  readonly toAt: number
  /** Null without groups. */
  readonly division: RetentionDivision | null
}

/** The groups that the people of a retention are divided into. */
export type RetentionDivision = {
  /** The values of a person's first start that make the groups. */
  readonly parts: readonly EventPart[]
  readonly groupsMax: number
  /** The day of the zone that it is now, `2026-05-17`. */
  readonly today: string
}

/** The days of a period. */
export const PERIOD_DAYS = { day: 1, week: 7 } as const

/**
 * Of the people who started in a period, how many came back in each period after it. Period 0 has all of them. With groups also the same of
 * each group, over all cohorts.
 */
export async function loadRetention(tx: Db, query: RetentionQuery): Promise<readonly RetentionCell[]> {
  const binds = new Binds()
  const first = periodSql(query, binds)
  const days = PERIOD_DAYS[query.unit]
  const returned = `${returnedSql(query, binds)}
    and ${first} > cohort and ${first} < cohort + ${binds.add(query.periods)} * ${days}`
  const period = `(${first} - cohort) / ${days}`
  const { tables, cells } = groupsSql(query, { first, returned, period, binds })
  const { rows } = await tx.query<RetentionCell>(
    `with ${tables}, counted as (
       select cohort, 0 as period, count(*) as users from started group by cohort
       union all
       select cohort, ${period}, count(distinct started.profile_id) ${returned} group by 1, 2
     )
     select to_char(cohort, 'YYYY-MM-DD') as cohort, period, null::integer as begun, null::integer as "group", null::jsonb as key,
       users, 0 as groups from counted
     ${cells.map((sql) => `union all ${sql}`).join(' ')} order by 4 nulls first, 1, 2, 3`,
    binds.values,
  )
  return rows
}

type RetentionSql = {
  readonly first: string
  readonly returned: string
  readonly period: string
  readonly binds: Binds
}

/** The table `started`, and the cells of groups, if there are any: those who started, and those who came back. */
function groupsSql(
  query: RetentionQuery,
  { first, returned, period, binds }: RetentionSql,
): { readonly tables: string; readonly cells: readonly string[] } {
  const { division, unit, periods } = query
  if (division === null) {
    const started = `select e.profile_id, min(${first}) as cohort ${startedSql(query, binds)} group by e.profile_id`
    return { tables: `started as (${started})`, cells: [] }
  }
  const { parts, groupsMax, today } = division
  const last = `least(${binds.add(periods)}::integer - 1, greatest(0, (${binds.add(today)}::date - cohort) / ${PERIOD_DAYS[unit]}))`
  const groups = 'coalesce((select max(groups) from largest), 0)'
  return {
    tables: `starts as (
        select distinct on (e.profile_id) e.profile_id, ${first} as cohort, ${keySql(parts, binds)} as key
        ${startedSql(query, binds)} order by e.profile_id, e.event_at, e.id
      ), largest as (${largestSql('starts', 'count(*)', binds.add(groupsMax))}), started as (
        select starts.profile_id, starts.cohort, coalesce(largest.place, 0) as place, largest.key
        from starts left join largest on largest.key = starts.key
      )`,
    cells: [
      `select null, null, ${last}, place, min(key::text)::jsonb, count(*), ${groups} from started group by 3, 4`,
      `select null, ${period}, null, place, null, count(distinct started.profile_id), ${groups} ${returned} group by 2, 4`,
    ],
  }
}

type Retention = Omit<RetentionQuery, 'periods' | 'division'> & Partial<Pick<RetentionQuery, 'division'>>

/** From and where of the start events `e`. The numbers and the lists of people share it, so that both mean the same people. */
export function startedSql(query: Retention, binds: Binds): string {
  const { brandId, startEvent, fromAt, toAt, division } = query
  const parts = division?.parts ?? []
  const brand = binds.add(brandId)
  const name = binds.add(startEvent)
  needing(binds.values, { ...retentionNeed({ brandId, fromAt }, startEvent), isBare: parts.length === 0 })
  return `from events as e ${personJoinSql(parts)}
    where ${notErasedSql(brand)} and e.brand_id = ${brand}
      and e.event_at >= ${binds.add(new Date(fromAt))} and e.event_at < ${binds.add(new Date(toAt))}
      and (${name}::text is null or e.event_name = ${name})`
}

/** From and where of the events `e` by which the people of a table `started` came back, and of their start. */
export function returnedSql({ brandId, returnEvent, fromAt }: Retention, binds: Binds): string {
  const name = binds.add(returnEvent)
  needing(binds.values, retentionNeed({ brandId, fromAt }, returnEvent))
  return `from started join events as e on e.brand_id = ${binds.add(brandId)} and e.profile_id = started.profile_id
    where e.event_at >= ${binds.add(new Date(fromAt))} and (${name}::text is null or e.event_name = ${name})`
}

function retentionNeed(
  { brandId, fromAt }: Pick<Retention, 'brandId' | 'fromAt'>,
  name: string | null,
): EventNeed {
  const names = name === null ? null : [name]
  return { ...anyEvents(brandId), names, since: writtenInstant(fromAt), isBare: true }
}

/** The first day of the period of an event `e`. */
export function periodSql({ unit, timeZone }: Retention, binds: Binds): string {
  return `date_trunc('${unit}', ${localTimeSql('e.event_at', `${binds.add(timeZone)}::text`)})::date`
}
