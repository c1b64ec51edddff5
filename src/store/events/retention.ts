import type { Db } from '../db.ts'
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

/** Of the people who started in a period, how many came back in each period after it. Period 0 has all of them. */
export async function loadRetention(tx: Db, query: RetentionQuery): Promise<readonly RetentionRow[]> {
  const bucket = `date_trunc('${query.unit}', ${localTimeSql('event_at', '$4::text')})::date`
  const days = query.unit === 'week' ? 7 : 1
  const { rows } = await tx.query<RetentionRow>(
    `with started as (
       select profile_id, min(${bucket}) as cohort from events as e
       where ${notErasedSql('$1')} and brand_id = $1 and event_at >= $5 and event_at < $6 and ($2::text is null or event_name = $2)
       group by profile_id
     ), counted as (
       select cohort, 0 as period, count(*) as users from started group by cohort
       union all
       select cohort, (${bucket} - cohort) / ${days}, count(distinct started.profile_id)
       from started join events on brand_id = $1 and events.profile_id = started.profile_id
       where event_at >= $5 and ($3::text is null or event_name = $3)
         and ${bucket} > cohort and ${bucket} < cohort + $7 * ${days}
       group by 1, 2
     )
     select to_char(cohort, 'YYYY-MM-DD') as cohort, period, users from counted order by 1, 2`,
    [
      query.brandId,
      query.startEvent,
      query.returnEvent,
      query.timeZone,
      new Date(query.fromAt),
      new Date(query.toAt),
      query.periods,
    ],
  )
  return rows
}
