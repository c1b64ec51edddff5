import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import { userIdSql } from '../people/user-id-sql.ts'
import { PERIOD_DAYS, periodSql, type RetentionQuery, returnedSql, startedSql } from './retention.ts'

/** A person of a cohort. */
export type RetentionPerson = {
  readonly id: bigint
  readonly userId: string | null
  /** The time of their first start in the range. */
  readonly startedAt: number
  /** The time of their last return in the asked period; in period 0 it is that of their start. */
  readonly at: number
}

export type RetentionPeopleQuery = Omit<RetentionQuery, 'periods' | 'division'> & {
  /** The first day of the cohort's period, `2026-05-17`. */
  readonly cohort: string
  /** Counts from 0: the period in which the people started. */
  readonly period: number
  readonly afterId: bigint | null
  readonly limit: number
}

/** A page of the people whom a number of a retention report counts, by their internal ids. It is read as the report is. */
export async function listRetentionPeople(
  tx: Db,
  query: RetentionPeopleQuery,
): Promise<RowPage<RetentionPerson>> {
  const binds = new Binds()
  const { afterId, limit } = query
  const first = periodSql(query, binds)
  const cohort = `${binds.add(query.cohort)}::date`
  const start = startedSql({ ...query, toAt: Math.min(query.toAt, startedBy(query)) }, binds)
  const isAfter = afterId === null ? '' : ` and e.profile_id > ${binds.add(afterId)}`
  const people =
    query.period === 0
      ? 'select profile_id, started_at, started_at as at from started'
      : `select started.profile_id, min(started_at) as started_at, max(e.event_at) as at ${cameBackSql(query, binds)}
           and ${first} = ${cohort} + ${daysTo(query)}
         group by started.profile_id`
  const brand = binds.add(query.brandId)
  const text = `with started as (
      select e.profile_id, min(e.event_at) as started_at ${start}${isAfter}
      group by e.profile_id having min(${first}) = ${cohort}
    )
    select person.profile_id as id, (${userIdSql(brand, 'person.profile_id')}) as "userId",
      person.started_at as "startedAt", person.at
    from (select * from (${people}) as counted order by profile_id limit ${binds.add(limit)}) as person
    order by person.profile_id`
  return readPage(tx, { text, values: binds.values, limit, kind: 'rows' })
}

const DAY_MS = 86_400_000
/** A local day begins less than this before or after the same day of UTC. */
const ZONE_MS_MAX = 2 * DAY_MS

/** An instant after the cohort's period, whatever the zone. Later events put nobody into the cohort, and nobody out of it. */
function startedBy({ cohort, unit }: RetentionPeopleQuery): number {
  return Date.parse(`${cohort}T00:00:00Z`) + PERIOD_DAYS[unit] * DAY_MS + ZONE_MS_MAX
}

/** The returns around the asked period, whatever the zone, so that the other events of these people are not read. */
function cameBackSql(query: RetentionPeopleQuery, binds: Binds): string {
  const periodAt = Date.parse(`${query.cohort}T00:00:00Z`) + daysTo(query) * DAY_MS
  const fromAt = Math.max(query.fromAt, periodAt - ZONE_MS_MAX)
  const toAt = periodAt + PERIOD_DAYS[query.unit] * DAY_MS + ZONE_MS_MAX
  return `${returnedSql({ ...query, fromAt }, binds)} and e.event_at < ${binds.add(new Date(toAt))}`
}

/** The days from the cohort's first day to the first day of the asked period. */
function daysTo({ unit, period }: RetentionPeopleQuery): number {
  return period * PERIOD_DAYS[unit]
}
