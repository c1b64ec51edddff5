import { SERIES_LIMITS } from '../../rules/series.ts'
import type { Db } from '../db.ts'
import { localTimeSql } from '../local-time-sql.ts'
import type { PurgeBounds } from '../purge-aged.ts'
import { lastHashSql } from './active-hours.ts'

/**
 * Parts of a `with` about brand $1 that note the days of people, and count those who are new on a day or in a week.
 * `from` has rows with profile_id and quarter, and `moments` are the rows of `momentsSql`. The known days are looked up
 * one by one, because a join is planned for the empty table of the first minute, and then reads the whole table for each
 * person.
 */
export function addActivePeopleSql(from: string, moments: string): string {
  return `person_weeks as (
    select person.profile_id, m.week, bit_or(m.day_bit) as days from ${from} as person
    join ${moments} as m on m.quarter = person.quarter group by 1, 2
  ), changed_weeks as (
    insert into active_weeks as a (brand_id, profile_id, week, days)
    select $1, profile_id, week, days from person_weeks where days <> days & coalesce((
      select known.days from active_weeks as known
      where known.brand_id = $1 and known.profile_id = person_weeks.profile_id and known.week = person_weeks.week), 0)
    order by profile_id, week
    on conflict (brand_id, profile_id, week) do update set days = a.days | excluded.days
    returning new.week, coalesce(old.days, 0) as before, new.days as after
  ), counted_days as (
    ${countDaysSql('changed_weeks')}
  )`
}

/**
 * The quarter hours in `from`, each once, with what series need of them: the hour, the week and the day of the brand's
 * zone. There are few of them, and a time in a zone is costly. Quarters that are older than series are kept are left out.
 */
export function momentsSql(from: string): string {
  return `select quarter, hour, date_trunc('week', day)::date as week,
      (1 << (extract(isodow from day)::integer - 1))::smallint as day_bit, ${lastHashSql('hour')} as last_hash
    from (
      select quarter, date_bin('1 hour', at, 'epoch') as hour, ${localTimeSql('at', 'brands.time_zone')} as day
      from (select quarter, to_timestamp(quarter * 900.0) as at from ${from} group by quarter) as told
      join brands on brands.id = $1
      where at > clock_timestamp() - interval '${SERIES_LIMITS.rowsDays} days'
    ) as placed`
}

/** The days of a group as bits: Monday is 1. */
function daysSql(day: string): string {
  return `bit_or(1 << (extract(isodow from ${day})::integer - 1))::smallint`
}

/**
 * Counts people of brand $1 whose days in a week were `before` and are `after`, by day and by week. Most people of a batch
 * changed in the same way, so the ways are put together first.
 */
function countDaysSql(from: string): string {
  return `insert into active_people as p (brand_id, span, day, people, time_zone)
    select $1, span, day, sum(part.people), min(brands.time_zone) from (
      select changed.* from (
        select week, before, after, count(*) as people from ${from} group by 1, 2, 3
      ) as alike cross join lateral (
        select 'day' as span, week + place as day, ((after >> place & 1) - (before >> place & 1)) * alike.people as people
        from generate_series(0, 6) as place
        union all
        select 'week', week, ((after <> 0)::integer - (before <> 0)::integer) * alike.people
      ) as changed
    ) as part join brands on brands.id = $1
    where part.people <> 0 group by span, day having sum(part.people) <> 0 order by span, day
    on conflict (brand_id, span, day) do update set people = p.people + excluded.people,
      time_zone = case when p.time_zone = excluded.time_zone then p.time_zone else '' end`
}

type MergedPeople = { readonly brandId: number; readonly survivorId: bigint; readonly absorbedId: bigint }

/**
 * After a merge, both were one person all along: a day on which both did something counts once. What an undo needs is
 * stored with the merge.
 */
export async function mergeActiveWeeks(
  tx: Db,
  { brandId, survivorId, absorbedId, mergeId }: MergedPeople & { readonly mergeId: bigint },
): Promise<void> {
  await tx.query(
    `update profile_merges set before = before || jsonb_build_object('weeks', (
       select coalesce(jsonb_agg(jsonb_build_object('week', a.week, 'days', a.days, 'own', coalesce(s.days, 0))), '[]')
       from active_weeks as a
       left join active_weeks as s on s.brand_id = $1 and s.profile_id = $2 and s.week = a.week
       where a.brand_id = $1 and a.profile_id = $3))
     where brand_id = $1 and id = $4`,
    [brandId, survivorId, absorbedId, mergeId],
  )
  await tx.query(
    `with gone as (
       delete from active_weeks where brand_id = $1 and profile_id = $3 returning week, days
     ), kept as (
       insert into active_weeks as a (brand_id, profile_id, week, days)
       select $1, $2, week, days from gone order by week
       on conflict (brand_id, profile_id, week) do update set days = a.days | excluded.days
       returning new.week, coalesce(old.days, 0) as before, new.days as after
     ), changed as (
       select week, days as before, 0 as after from gone union all select week, before, after from kept
     )
     ${countDaysSql('changed')}`,
    [brandId, survivorId, absorbedId],
  )
}

/** The days of an absorbed profile at the time of the merge, and those that the survivor had of its own. */
export type MergedWeek = { readonly week: string; readonly days: number; readonly own: number }

/**
 * Gives the absorbed profile its days back. The survivor keeps the days that it had, and those on which it has events.
 * The events have been moved back before.
 */
export async function partActiveWeeks(
  tx: Db,
  { brandId, survivorId, absorbedId }: MergedPeople,
  weeks: readonly MergedWeek[],
): Promise<void> {
  if (weeks.length === 0) return
  await tx.query(
    `with given as (
       select * from jsonb_to_recordset($4::jsonb) as given (week date, days smallint, own smallint)
     ), happened as (
       select given.week, given.own | coalesce((
         select ${daysSql('day')} from (
           select ${localTimeSql('event_at', 'brands.time_zone')}::date as day from events join brands on brands.id = $1
           where events.brand_id = $1 and profile_id = $2
             and event_at > given.week - interval '2 days' and event_at < given.week + interval '9 days'
         ) as own where day >= given.week and day < given.week + 7), 0)::smallint as days
       from given
     ), back as (
       insert into active_weeks as a (brand_id, profile_id, week, days)
       select $1, $3, week, days from given order by week
       on conflict (brand_id, profile_id, week) do update set days = a.days | excluded.days
       returning new.week, coalesce(old.days, 0) as before, new.days as after
     ), gone as (
       delete from active_weeks as a using happened as h
       where a.brand_id = $1 and a.profile_id = $2 and a.week = h.week and h.days = 0
       returning a.week, a.days as before, 0 as after
     ), kept as (
       update active_weeks as a set days = h.days from happened as h
       where a.brand_id = $1 and a.profile_id = $2 and a.week = h.week and h.days <> 0
       returning new.week, old.days as before, new.days as after
     ), changed as (
       select * from back union all select * from gone union all select * from kept
     )
     ${countDaysSql('changed')}`,
    [brandId, survivorId, absorbedId, JSON.stringify(weeks)],
  )
}

/** Deletes the weeks that are older than series are kept. */
export async function purgeActiveWeeks(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  const { count } = await db.query(
    `delete from active_weeks where ctid = any(array(
       select old.at from brands cross join lateral (
         select ctid as at from active_weeks where brand_id = brands.id and week + 0 < $1::date order by week + 0 limit $2
       ) as old limit $2))`,
    [new Date(now - SERIES_LIMITS.rowsDays * DAY_MS), rowsMax],
  )
  return count
}

const DAY_MS = 86_400_000
