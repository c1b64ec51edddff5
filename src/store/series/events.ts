import { SERIES_LIMITS } from '../../rules/series.ts'
import type { Db } from '../db.ts'
import { localTimeSql } from '../local-time-sql.ts'
import { addActiveHoursSql } from './active-hours.ts'
import { addActivePeopleSql } from './active-people.ts'
import { addToSeriesSql } from './folding.ts'

/**
 * Adds batches of events to the series: by name and time, and the people who were active on a day or in a week. The
 * caller has locked the counting reader, so no other transaction counts for the brand.
 */
export async function countEventSeries(tx: Db, brandId: number, batchIds: readonly bigint[]): Promise<void> {
  await tx.query(COUNT, [brandId, batchIds])
}

const COUNT = {
  name: 'count_event_series',
  text: `with happened as materialized (
    select events.profile_id, events.event_name as name, date_trunc('minute', events.event_at) as at
    from unnest($2::bigint[]) as batch (id)
    cross join lateral (
      select profile_id, event_name, event_at from events
      where brand_id = $1 and id >= batch.id and id < batch.id + 1024 limit 1024
    ) as events
  ), counted as (
    select $1::integer as brand_id, 'events' as metric, at, '' as platform, 0 as campaign_id, 0 as journey_id, '' as step,
      name, count(*) as count
    from happened group by at, name
  ), added as (
    ${addToSeriesSql('counted')}
  ), hourly as (
    ${addActiveHoursSql('happened')}
  ), seen as (
    select distinct profile_id, ${localTimeSql('at', 'brands.time_zone')}::date as day
    from (select distinct profile_id, at from happened) as moment join brands on brands.id = $1
    where at > clock_timestamp() - interval '${SERIES_LIMITS.keptDays} days'
  ), ${addActivePeopleSql('seen')}`,
}
