/**
 * Series of the last 90 days, as many rows as a busy brand has: in each quarter of an hour messages of one of twenty
 * campaigns on three platforms, ten event names, and devices that come. `:brandId` is the brand.
 */
const QUARTERS = `generate_series(date_trunc('day', now()) - interval '90 days', now(), interval '15 minutes') as at`
const COLUMNS = 'brand_id, metric, minutes, starts_at, platform, campaign_id, journey_id, step, name, count'

export const SERIES_ROWS: Readonly<Record<string, string>> = {
  quarters: `insert into series (${COLUMNS})
    select :brandId, metric, 15, at, platform, (extract(epoch from at)::bigint / 900) % 20 + 1, 0, '',
      case metric when 'failed' then 'BadDeviceToken' else '' end, 7
    from ${QUARTERS}, unnest(array['accepted', 'failed', 'received', 'clicked']) as metric,
      unnest(array['android', 'ios', 'web']) as platform
    union all
    select :brandId, 'events', 15, at, '', 0, 0, '', 'event-' || n, 11 from ${QUARTERS}, generate_series(0, 9) as n
    union all
    select :brandId, 'subscriptions', 15, at, platform, 0, 0, '', '', 2
    from ${QUARTERS}, unnest(array['android', 'ios', 'web']) as platform
    union all
    select :brandId, metric, 15, at, '', 0, case metric when 'people_new' then 0 else 1 end, '', '', 3
    from ${QUARTERS}, unnest(array['people_new', 'journey_entries']) as metric`,
  hours: `insert into series (${COLUMNS})
    select brand_id, metric, 60, date_bin('1 hour', starts_at, 'epoch'), platform, campaign_id, journey_id, step, name,
      sum(count)
    from series where brand_id = :brandId and minutes = 15 group by 1, 2, 4, 5, 6, 7, 8, 9`,
  levels: `insert into series (${COLUMNS})
    select brand_id, metric, 0, 'epoch', platform, campaign_id, journey_id, step, name, sum(count)
    from series where brand_id = :brandId and minutes = 15 and metric = 'subscriptions' group by 1, 2, 5, 6, 7, 8, 9`,
  'active days': `insert into active_people (brand_id, span, day, people, time_zone)
    select :brandId, 'day', current_date - n, 1000 + n, time_zone from generate_series(0, 90) as n, brands where id = :brandId`,
  'active hours': `insert into active_hours (brand_id, starts_at, hashes)
    select :brandId, hour, array(select hashint8extended(n, extract(epoch from hour)::bigint) as hash
      from generate_series(1, 256) as n order by hash)
    from generate_series(date_trunc('day', now()) - interval '90 days', now(), interval '1 hour') as hour`,
  'counts of receipts': `insert into receipt_counts (brand_id, notification_id, kind, count)
    select brand_id, id, kind, audience / 10 from notifications, unnest(array['received', 'clicked', 'dismissed']) as kind
    where brand_id = :brandId`,
}
