import type { Db } from '../db.ts'
import { quarterSql } from '../events/active-quarters.ts'
import { addActiveHoursSql } from './active-hours.ts'
import { addActivePeopleSql, momentsSql } from './active-people.ts'
import { addToSeriesSql } from './folding.ts'

/**
 * Parts of the `with` that counts events of brand $1. `event` has the events with event_name and event_at, and
 * `newcomers` the people with a quarter hour in which they did nothing before. A person whose quarter hour is known was
 * also counted in its hour, day and week, so nothing is looked up for them. The caller has locked the counting reader, so
 * no other transaction counts for the brand.
 */
export function eventSeriesSql(event: string, newcomers: string): string {
  return `, named as (
    select $1::integer as brand_id, 'events' as metric, date_bin('1 minute', event_at, 'epoch') as at, '' as platform,
      0 as campaign_id, 0 as journey_id, '' as step, event_name as name, count(*) as count
    from ${event} group by 3, 8
  ), added as (
    ${addToSeriesSql('named')}
  ), ${peopleSql(newcomers)}`
}

/**
 * The number of people whom the series have to count event by event, of the rows that have a first_quarter and a
 * last_quarter: the quarter hour of their events is not the last one of their list. A list that was made shorter has a
 * negative `added` in `lists`.
 */
export function elsewhereSql(lists: string): string {
  return `(count(*) filter (where first_quarter <> last_quarter or last_quarter <= $3)
      + (select count(*) from ${lists} where added < 0))`
}

function peopleSql(from: string): string {
  return `moments as materialized (
    ${momentsSql(from)}
  ), hourly as (
    ${addActiveHoursSql(from, 'moments')}
  ), ${addActivePeopleSql(from, 'moments')}`
}

/**
 * Counts the people of batches, each event by itself: for people with events in several quarter hours, or in quarter
 * hours that are too old for their list. People who are counted already are not counted again.
 */
export async function countSpreadPeople(tx: Db, brandId: number, batchIds: readonly bigint[]): Promise<void> {
  await tx.query(SPREAD, [brandId, batchIds])
}

const SPREAD = {
  name: 'count_spread_people',
  text: `with seen as materialized (
    select distinct profile_id, quarter from unnest($2::bigint[]) as batch (id)
    cross join lateral (
      select profile_id, ${quarterSql('event_at')} as quarter from events
      where brand_id = $1 and id >= batch.id and id < batch.id + 1024 limit 1024
    ) as events
  ), ${peopleSql('seen')}
  select`,
}

/**
 * Counts people in the quarter hours of their lists. After the end of a merge, the lists are read from the events, also
 * from those that are yet to be counted.
 */
export async function countListedPeople(
  tx: Db,
  brandId: number,
  profileIds: readonly bigint[],
): Promise<void> {
  await tx.query(
    `with seen as materialized (
       select distinct profile_id, unnest(active_quarters) as quarter from profile_activity
       where brand_id = $1 and profile_id = any($2)
     ), ${peopleSql('seen')}
     select`,
    [brandId, profileIds],
  )
}
