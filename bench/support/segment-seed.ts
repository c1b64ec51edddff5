import type { Database } from '../../src/store/db.ts'

/** The people and events of the benchmark of segments. */
export const SEGMENT_SEED = { people: 1_000_000, events: 10_000_000, names: 10, days: 60 } as const

/** Few enough for the time limit of a statement. */
const PART = 100_000

/**
 * People with one device each, and what they did: a third of the devices carry the tag, a fifth of the people live in
 * the city, and each event is one of ten kinds, spread over two months. Rows are written in sets, and the counters that
 * the pipeline would have made come from the same rows.
 */
export async function seedSegments(
  database: Database,
  brandId: number,
  tell: (what: string) => void,
): Promise<void> {
  for (let first = 0; first < SEGMENT_SEED.people; first += PART) {
    const range = [brandId, first + 1, first + PART]
    for (const sql of PEOPLE) await database.query(sql, range)
    tell(`${first + PART} people`)
  }
  for (let first = 0; first < SEGMENT_SEED.events; first += PART) {
    await database.query(EVENTS, [
      brandId,
      first,
      first + PART - 1,
      SEGMENT_SEED.days,
      SEGMENT_SEED.names,
      SEGMENT_SEED.people,
    ])
    if (first % 1_000_000 === 0) tell(`${first} events`)
  }
  tell('counters')
  await database.asEngine(async (tx) => {
    // Ten million rows are counted in one statement, which has as long as it takes.
    await tx.query('set local statement_timeout = 0')
    for (const sql of COUNTERS) await tx.query(sql, [brandId])
  })
}

const PEOPLE = [
  `insert into profiles (brand_id, id, attributes, created_at, updated_at)
   select $1, n, jsonb_build_object('city', (array['Oslo', 'Rome', 'Lima', 'Bonn', 'Cork'])[1 + n * 7 % 5], 'age', 18 + n % 60,
     'plan', 'plan ' || n % 3, 'note', 'person number ' || n), now() - interval '90 days', now()
   from generate_series($2::bigint, $3) as n`,
  `insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
   select $1, 'user_id', 'user-' || n, n, now() - interval '90 days' from generate_series($2::bigint, $3) as n`,
  `insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, profile_id, tags, time_zone,
     language, state_since, created_at, registered_at, updated_at)
   select $1, 'sub-' || n, 'android', 'token-' || n, sha256(('token-' || n)::bytea), n,
     case when hashint8(n) % 3 = 0 then '{vip,new}' else '{new}' end::text[], 'Europe/Oslo', 'en', now(), now(), now(), now()
   from generate_series($2::bigint, $3) as n`,
]

/** The place of an event gives everything: when it came, who did it, and what it was. */
const EVENTS = `insert into events
  (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
  select (extract(epoch from at)::bigint * 1000 << 21) + n, 1 + abs(hashint8(n)::bigint) % $6, at, $1, false,
    'event-' || abs(hashint8(n + 7)::bigint) % $5, 10, jsonb_build_object('amount', n % 500, 'sku', 'sku-' || n % 1000)
  from (select n, now() - $4 * interval '1 day' + n * ($4 * interval '1 day' / ${SEGMENT_SEED.events}) as at
    from generate_series($2::bigint, $3) as n) as placed`

const COUNTERS = [
  `insert into profile_activity (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv)
   select brand_id, profile_id, count(*), min(event_at), max(event_at), sum(ltv) from events where brand_id = $1
   group by brand_id, profile_id`,
  `insert into profile_event_counters (brand_id, profile_id, event_name, event_count, first_event_at, last_event_at)
   select brand_id, profile_id, event_name, count(*), min(event_at), max(event_at) from events where brand_id = $1
   group by brand_id, profile_id, event_name`,
]
