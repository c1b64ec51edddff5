import type { ReadRow } from './read-rows.ts'

const SERIES_MS = 100
const DAYS = 90
const HOUR_DAYS = 60
const DAY_MS = 86_400_000

type Chart = {
  readonly metric: string
  /** The metrics of the table, if they have other names. */
  readonly stored?: readonly string[]
  readonly by: 'day' | 'hour'
  readonly group?: string
  readonly column?: string
  readonly zone?: string
}

/** A chart, and the bare sum of its hours. */
function chart({ metric, stored = metric.split(','), by, group, column, zone = 'UTC' }: Chart): ReadRow {
  const days = by === 'day' ? DAYS : HOUR_DAYS
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  const parts = group === undefined ? '' : `&group=${group}`
  return {
    name: `${metric} by ${by}${group === undefined ? '' : ` and ${group}`} in ${zone}, ${days} days`,
    guideMs: SERIES_MS,
    ask: () => ({ path: `/api/v1/series?metric=${metric}&by=${by}&from=${from}&time_zone=${zone}${parts}` }),
    bare: () => ({
      text: `select metric, date_trunc('${by}', starts_at, '${zone}') as at, ${column ?? `''`} as part, sum(count) from series
        where brand_id = $1 and metric = any($2) and minutes = 60 and starts_at >= $3 group by 1, 2, 3`,
      values: [stored, from],
    }),
  }
}

const COUNTED = `select day, people, time_zone from active_people where brand_id = $1 and span = 'day' and day > $2
  order by day`
const HASHED = `select starts_at, cardinality(hashes), hashes[256] from active_hours
  where brand_id = $1 and starts_at >= $2 order by starts_at`
const since = (days: number): Date => new Date(Date.now() - days * DAY_MS)

/** Every kind of series over 90 days, or 60 days of hours. */
export const SERIES_READS: readonly ReadRow[] = [
  chart({ metric: 'sends,clicked', stored: ['accepted', 'failed', 'clicked'], by: 'day' }),
  chart({ metric: 'sends', stored: ['accepted', 'failed'], by: 'day', zone: 'Asia/Kathmandu' }),
  chart({ metric: 'accepted', by: 'day', group: 'campaign', column: 'campaign_id' }),
  chart({ metric: 'received', by: 'hour', group: 'platform', column: 'platform' }),
  chart({ metric: 'failed', by: 'day', group: 'name', column: 'name' }),
  chart({ metric: 'events', by: 'day', group: 'name', column: 'name', zone: 'Europe/Oslo' }),
  chart({ metric: 'subscriptions', by: 'day', group: 'platform', column: 'platform' }),
  chart({ metric: 'people_new', by: 'day' }),
  chart({ metric: 'journey_entries', by: 'day', group: 'journey', column: 'journey_id' }),
  {
    name: `people_active by day, ${DAYS} days`,
    guideMs: SERIES_MS,
    ask: () => ({
      path: `/api/v1/series?metric=people_active&by=day&from=${since(DAYS - 1)
        .toISOString()
        .slice(0, 10)}`,
    }),
    bare: () => ({ text: COUNTED, values: [since(DAYS)] }),
  },
  {
    name: `people_active by hour, ${HOUR_DAYS} days`,
    guideMs: SERIES_MS,
    ask: () => ({
      path: `/api/v1/series?metric=people_active&by=hour&from=${since(HOUR_DAYS - 1)
        .toISOString()
        .slice(0, 10)}`,
    }),
    bare: () => ({ text: HASHED, values: [since(HOUR_DAYS)] }),
  },
]

/** The newest notifications with their receipts, as the list shows them. */
export const LIST_READS: readonly ReadRow[] = [
  {
    name: 'a page of notifications',
    guideMs: 30,
    ask: () => ({ path: '/api/v1/notifications' }),
    bare: () => ({
      text: `select n.*, (select jsonb_object_agg(kind, count) from receipt_counts as r
          where r.brand_id = n.brand_id and r.notification_id = n.id) as receipts
        from notifications as n where n.brand_id = $1 order by n.id desc limit 50`,
      values: [],
    }),
  },
]
