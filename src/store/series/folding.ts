import { SERIES_LIMITS, SERIES_MINUTES } from '../../rules/series.ts'
import type { Db } from '../db.ts'
import type { PurgeBounds } from '../purge-aged.ts'

/**
 * Adds changes to the series and to the counts of receipts, and gives the number of changes. A change is deleted in the
 * transaction that adds it, so it counts once, whenever a worker dies. Rows are written in the order of their keys, so
 * that two workers never wait for each other in a circle.
 */
export async function foldSeries(db: Db, rowsMax: number): Promise<number> {
  const { rows } = await db.query<{ folded: number }>(
    `with part as (
       select brand_id, id from series_changes order by brand_id, id limit $1 for update skip locked
     ), gone as (
       delete from series_changes as c using part where c.brand_id = part.brand_id and c.id = part.id
       returning c.brand_id, c.metric, c.at, c.platform, c.campaign_id, c.journey_id, c.step, c.name, c.notification_id,
         c.count
     ), added as (
       ${addToSeriesSql('gone')}
     ), told as (
       insert into receipt_counts as r (brand_id, notification_id, kind, count)
       select gone.brand_id, gone.notification_id, gone.metric, sum(gone.count) from gone
       where exists (select from notifications as n where n.brand_id = gone.brand_id and n.id = gone.notification_id)
       group by 1, 2, 3 order by 1, 2, 3
       on conflict (brand_id, notification_id, kind) do update set count = r.count + excluded.count
     )
     select count(*)::integer as folded from gone`,
    [rowsMax],
  )
  return rows[0]?.folded ?? 0
}

/** Whether changes of series or of tags wait to be added. It is asked often, and costs a tenth of a step. For `Database.queue`. */
export async function hasChanges(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ isChanged: boolean }>(HAS_CHANGES)
  return rows[0]?.isChanged ?? false
}

const HAS_CHANGES = {
  name: 'has_changes',
  text: 'select exists (select from series_changes) or exists (select from tag_changes) as "isChanged"',
}

/**
 * Adds rows with the columns of `series_changes` to the series, in each of the stored lengths. A row that is older than
 * the series are kept is left out.
 */
export function addToSeriesSql(from: string): string {
  const { minute, quarter, hour, allTime } = SERIES_MINUTES
  return `insert into series as s (brand_id, metric, minutes, starts_at, platform, campaign_id, journey_id, step, name,
      count)
    select brand_id, metric, minutes,
      case minutes when ${allTime} then 'epoch' else date_bin(make_interval(mins => minutes), at, 'epoch') end,
      platform, campaign_id, journey_id, step, name, sum(count)
    from ${from} as change
    cross join (values (${minute}::smallint, interval '${SERIES_LIMITS.minutesHours} hours'),
      (${quarter}::smallint, interval '${SERIES_LIMITS.rowsDays} days'),
      (${hour}::smallint, interval '${SERIES_LIMITS.rowsDays} days'),
      (${allTime}::smallint, null)) as span (minutes, kept)
    where case when kept is null then metric = 'subscriptions' else at > clock_timestamp() - kept end
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9 having sum(count) <> 0 order by 1, 2, 3, 4, 5, 6, 7, 8, 9
    on conflict (brand_id, metric, minutes, starts_at, platform, campaign_id, journey_id, step, name) do update
    set count = s.count + excluded.count`
}

/** Deletes the spans that are older than they are kept. The clock is the database's, as when they were added. */
export async function purgeSeries(db: Db, { rowsMax }: PurgeBounds): Promise<number> {
  const { minute, quarter, hour } = SERIES_MINUTES
  let removed = 0
  for (const [minutes, hours] of [
    [minute, SERIES_LIMITS.minutesHours + 1],
    [quarter, SERIES_LIMITS.rowsDays * 24],
    [hour, SERIES_LIMITS.rowsDays * 24],
  ]) {
    const { count } = await db.query(
      `delete from series where ctid = any(array(
         select old.at from brands cross join lateral (
           select ctid as at from series
           where brand_id = brands.id and minutes = $1 and starts_at <= clock_timestamp() - make_interval(hours => $2)
           order by starts_at limit $3
         ) as old limit $3))`,
      [minutes, hours, rowsMax],
    )
    removed += count
  }
  return removed
}
