/**
 * Parts of a `with` that write changes of series, about rows that the same statement has just written (decision 0017).
 * Each writes few rows, however many it counts.
 */
const COLUMNS = 'brand_id, metric, at, platform, campaign_id, journey_id, step, name'

/** The campaign or journey that a notification `n` counts for. A test send counts for no campaign. */
const OF_NOTIFICATION = `n.platform, case when n.is_test then 0 else coalesce(n.campaign_id, 0) end,
  coalesce(n.journey_id, 0), coalesce(n.step, '')`

/**
 * For notifications in `from` with NOTIFICATION_PARTS and, as arrays, the states and reasons of deliveries that ended and
 * how many there are of each. A list in the row needs no join: many notifications can end together, and a join of two
 * sets that a statement on a queue has made compares each with each.
 */
export function deliverySeriesSql(from: string): string {
  return `insert into series_changes (${COLUMNS}, count)
    select n.brand_id, ended.state, date_bin('1 minute', n.at, 'epoch'), ${OF_NOTIFICATION}, ended.reason, sum(ended.count)
    from ${from} as n cross join lateral unnest(n.states, n.reasons, n.counts) as ended (state, reason, count)
    where ended.state in ('accepted', 'failed', 'expired') group by 1, 2, 3, 4, 5, 6, 7, 8`
}

/** The columns of a notification `n` that say what it counts for. */
export const NOTIFICATION_PARTS = 'n.platform, n.is_test, n.campaign_id, n.journey_id, n.step'

/** For chunks in `from`, with brand_id, notification_id and remaining, which end in one state for one reason. */
export function endedSeriesSql(from: string, state: string, reason: string): string {
  return `insert into series_changes (${COLUMNS}, count)
    select ended.brand_id, ${state}::text, date_trunc('minute', clock_timestamp()), ${OF_NOTIFICATION}, ${reason}::text,
      sum(ended.remaining)
    from ${from} as ended join notifications as n on n.brand_id = ended.brand_id and n.id = ended.notification_id
    where ${state}::text <> 'cancelled' and ended.remaining > 0 group by 1, 2, 3, 4, 5, 6, 7, 8`
}

/** For receipts in `from`, with brand_id, notification_id and kind, that came at one instant. */
export function receiptSeriesSql(from: string, at: string): string {
  return `insert into series_changes (${COLUMNS}, notification_id, count)
    select n.brand_id, told.kind, date_trunc('minute', ${at}::timestamptz), ${OF_NOTIFICATION}, '', n.id, count(*)
    from ${from} as told join notifications as n on n.brand_id = told.brand_id and n.id = told.notification_id
    group by 1, 2, 3, 4, 5, 6, 7, n.id`
}

/** For notes about people in journeys in `from`, with brand_id, journey_id, step, did, is_end and count. */
export function journeySeriesSql(from: string, at: string): string {
  return `insert into series_changes (brand_id, metric, at, journey_id, step, name, count)
    select brand_id, metric, date_trunc('minute', ${at}::timestamptz), journey_id, step, did, sum(count)
    from ${from} as noted cross join lateral (
      select 'journey_steps' as metric where step <> ''
      union all select 'journey_entries' where did = 'entered'
      union all select 'journey_exits' where is_end
    ) as told
    group by 1, 2, 4, 5, 6`
}
