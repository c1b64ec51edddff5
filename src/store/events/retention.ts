import { Binds, writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { anyEvents, type EventNeed, needing } from '../event-needs.ts'
import { localTimeSql } from '../local-time-sql.ts'
import { notErasedSql } from './filter.ts'

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
}

export type RetentionRow = {
  /** The first day of the cohort's period. */
  readonly cohort: string
  /** Counts from 0: the period in which the people started. */
  readonly period: number
  readonly users: bigint
}

/** The days of a period. */
export const PERIOD_DAYS = { day: 1, week: 7 } as const

/** Of the people who started in a period, how many came back in each period after it. Period 0 has all of them. */
export async function loadRetention(tx: Db, query: RetentionQuery): Promise<readonly RetentionRow[]> {
  const binds = new Binds()
  const first = periodSql(query, binds)
  const days = PERIOD_DAYS[query.unit]
  const { rows } = await tx.query<RetentionRow>(
    `with started as (
       select e.profile_id, min(${first}) as cohort ${startedSql(query, binds)} group by e.profile_id
     ), counted as (
       select cohort, 0 as period, count(*) as users from started group by cohort
       union all
       select cohort, (${first} - cohort) / ${days}, count(distinct started.profile_id) ${returnedSql(query, binds)}
         and ${first} > cohort and ${first} < cohort + ${binds.add(query.periods)} * ${days}
       group by 1, 2
     )
     select to_char(cohort, 'YYYY-MM-DD') as cohort, period, users from counted order by 1, 2`,
    binds.values,
  )
  return rows
}

type Retention = Omit<RetentionQuery, 'periods'>

/** From and where of the start events `e`. The numbers and the lists of people share it, so that both mean the same people. */
export function startedSql({ brandId, startEvent, fromAt, toAt }: Retention, binds: Binds): string {
  const brand = binds.add(brandId)
  const name = binds.add(startEvent)
  needing(binds.values, retentionNeed({ brandId, fromAt }, startEvent))
  return `from events as e
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
