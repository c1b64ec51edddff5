import { WEEK_MS, weekOf } from '../../src/domain/events/week.ts'
import { withOwner } from '../../src/store/db.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'

/** The whole size, and the weeks over which the events are spread. */
export const ANALYTICS = { events: 10_000_000, people: 1_000_000, weeks: 12 } as const

type AnalyticsSeed = { readonly brandId: number; readonly events: number; readonly people: number }

const PART = 200_000

/**
 * People with a plan, nine of ten also with a city, and their events of ended weeks: ten names, of which a few are frequent, a text with twelve
 * values, a number, a boolean and a context. Hashes scatter people and values, so that nothing is more regular than it would be.
 */
export async function seedAnalytics(url: string, { brandId, events, people }: AnalyticsSeed): Promise<void> {
  const endsAt = weekOf(Date.now() - 2 * WEEK_MS).startsAt
  const startsAt = endsAt - ANALYTICS.weeks * WEEK_MS
  await withOwner(url, async (owner) => {
    for (let at = startsAt; at < Date.now() + WEEK_MS; at += WEEK_MS)
      await maintainWeeks(owner, { now: at, retentionDays: 36_500 })
    await owner.query('set role beckon_engine; set synchronous_commit = off')
    for (let first = 0; first < people; first += PART)
      await owner.query(PEOPLE, [brandId, first + 1, Math.min(first + PART, people)])
    for (let first = 0; first < events; first += PART) {
      await owner.query(
        `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes, context)
         select (at << 21) | (n % 2097152), 1 + h % $2, to_timestamp((at - h % 60000) / 1000.0), $1, false,
           'event_' || least(h / 7 % 10, h / 77 % 10), h % 100,
           jsonb_build_object('sku', 'sku-' || h / 13 % 12, 'total', round((h / 17 % 10000) / 100.0, 2), 'gift', h % 5 = 0),
           jsonb_build_object('os', jsonb_build_object('name', (array['android', 'ios', 'web'])[1 + h / 19 % 3]),
             'app', jsonb_build_object('version', '4.' || h / 23 % 4))
         from (select n, $3::bigint + n * $4::bigint / $5 as at, abs(hashint8(n)::bigint) as h
           from generate_series($6::bigint, $7) as n) as placed`,
        [brandId, people, startsAt, endsAt - startsAt, events, first, Math.min(first + PART, events) - 1],
      )
    }
    await owner.query(
      `insert into attribute_locks (brand_id, event_name, attribute, type, locked_at, last_seen_at, shown_count)
       select $1, 'event_0', attribute, 'string', now(), now(), 1 from unnest(array['sku', 'total', 'gift']) as attribute`,
      [brandId],
    )
    await owner.query('reset role')
    await owner.query('vacuum (analyze) events, profiles')
    await owner.query('checkpoint')
  })
}

/** The people of a range of ids, each with what a small application knows of somebody. */
export const PEOPLE = `insert into profiles (brand_id, id, attributes, created_at, updated_at)
  select $1, n, jsonb_build_object('plan', (array['free', 'free', 'free', 'plus', 'pro'])[1 + h % 5], 'age', 18 + h / 5 % 60, 'note', 'person number ' || n)
    || case when h / 300 % 10 = 0 then '{}' else jsonb_build_object('city', 'city ' || h / 3000 % 40) end, now(), now()
  from (select n, abs(hashint8(n)::bigint) as h from generate_series($2::bigint, $3) as n) as numbered`
