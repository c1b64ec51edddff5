import { BEST_HOUR_LIMITS } from '../../rules/best-hours.ts'
import type { Db } from '../db.ts'
import type { PurgeBounds } from '../purge-aged.ts'

/** So many quarter hours ago is too long ago to count. */
const QUARTERS_BACK = BEST_HOUR_LIMITS.daysBack * 96
const QUARTER_MS = 900_000

/** The quarter hour before the first one that counts at this moment. */
export function oldQuarterAt(now: number): number {
  return Math.floor(now / QUARTER_MS) - QUARTERS_BACK
}

/** The number of an instant's quarter hour, from 1970 on. `date_part` gives a float, which is faster than a numeric. */
export function quarterSql(at: string): string {
  return `floor(date_part('epoch', ${at}) * 1000 / ${QUARTER_MS})::integer`
}

/**
 * The quarter hours of two arrays together. The known ones are left as they are and new ones are appended, because
 * sorting for each event would cost more than all other counts. An array that grows too long is made short again: then
 * it has the newest ones, each once.
 */
export function joinedQuartersSql(known: string, added: string): string {
  const { quartersMax, quartersRemaining } = BEST_HOUR_LIMITS
  return `case when ${known} @> ${added} then ${known}
    when cardinality(${known}) + cardinality(${added}) <= ${quartersMax} then ${known} || ${added}
    else array(select distinct q from unnest(${known} || ${added}) as q order by q desc limit ${quartersRemaining}) end`
}

export type SpreadEvents = {
  readonly brandId: number
  readonly batchIds: readonly bigint[]
  readonly oldQuarter: number
}

/**
 * Counts the quarter hours of people whose events in these batches lie in more than one of them. That is rare: an
 * import of old events, or batches from both sides of a quarter hour's end.
 */
export async function countSpreadEvents(
  tx: Db,
  { brandId, batchIds, oldQuarter }: SpreadEvents,
): Promise<void> {
  await tx.query(
    `with counted as materialized (
       select profile_id, quarter, count(*) as event_count
       from unnest($2::bigint[]) as batch (id)
       cross join lateral (
         select profile_id, ${quarterSql('event_at')} as quarter from events
         where brand_id = $1 and id >= batch.id and id < batch.id + 1024 limit 1024
       ) as events
       group by profile_id, quarter
     ), spread as materialized (
       select * from counted where quarter > $3
         and profile_id in (select profile_id from counted group by profile_id having count(*) > 1)
     ), by_quarter as (
       insert into brand_quarters as q (brand_id, quarter, event_count)
       select $1, quarter, sum(event_count) from spread group by quarter
       on conflict (brand_id, quarter) do update set event_count = q.event_count + excluded.event_count
     )
     update profile_activity as a
     set active_quarters = ${joinedQuartersSql('a.active_quarters', 'added.quarters')}
     from (select profile_id, array_agg(quarter) as quarters from spread group by profile_id) as added
     where a.brand_id = $1 and a.profile_id = added.profile_id`,
    [brandId, batchIds, oldQuarter],
  )
}

/** Reads the quarter hours of people from their events again, because a merge was undone. */
export async function recountQuarters(tx: Db, brandId: number, profileIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `update profile_activity as a set active_quarters = array(
       select distinct ${quarterSql('event_at')} from events as e
       where e.brand_id = $1 and e.profile_id = a.profile_id
         and e.event_at > a.last_event_at - ${BEST_HOUR_LIMITS.daysBack} * interval '1 day'
       order by 1 desc limit ${BEST_HOUR_LIMITS.quartersRemaining})
     where a.brand_id = $1 and a.profile_id = any($2)`,
    [brandId, profileIds],
  )
}

/** Deletes quarter hours of brands that are too old to count. */
export async function purgeQuarters(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  const { count } = await db.query(
    `with old as (
       select stale.* from brands
       cross join lateral (
         select brand_id, quarter from brand_quarters
         where brand_id = brands.id and quarter <= $1 order by quarter limit $2
       ) as stale
       limit $2
     )
     delete from brand_quarters as q using old where q.brand_id = old.brand_id and q.quarter = old.quarter`,
    [oldQuarterAt(now), rowsMax],
  )
  return count
}
