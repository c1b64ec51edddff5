import { BLANK_CONTENT } from '../../src/domain/push/message.ts'
import type { Db } from '../../src/store/db.ts'
import { SERIES_ROWS } from './series-seed.ts'

/** The figures of the bar: for each person three devices, ten events and ten deliveries. */
export const READ_SEED = { people: 1_000_000, days: 60, names: 10, broadcasts: 100 } as const

type Seed = {
  readonly brandId: number
  readonly people: number
  readonly tell: (what: string) => void
}

/**
 * Rows are written in sets, as the owner and without triggers; indexes beside the primary keys are made afterwards, in
 * one go. The rows that loops would have made from the events are written with them, for one event name.
 */
export async function seedReads(owner: Db, { brandId, people, tell }: Seed): Promise<void> {
  for (const setting of SETTINGS) await owner.query(setting)
  const { rows: indexes } = await owner.query<{ name: string; definition: string }>(INDEXES)
  for (const { name } of indexes) await owner.query(`drop index ${name}`)
  for (const [what, sql] of Object.entries({ ...ROWS, ...SERIES_ROWS })) {
    const beganAt = performance.now()
    await owner.query(fill(sql, { brandId, people }))
    tell(`${what} in ${((performance.now() - beganAt) / 1_000).toFixed(1)} s`)
  }
  const beganAt = performance.now()
  for (const { definition } of indexes) await owner.query(definition.replace(' ON ONLY ', ' ON '))
  tell(`${indexes.length} indexes in ${((performance.now() - beganAt) / 1_000).toFixed(1)} s`)
}

const SETTINGS = [
  'set session_replication_role = replica',
  'set synchronous_commit = off',
  'set statement_timeout = 0',
  `set maintenance_work_mem = '512MB'`,
  `set work_mem = '256MB'`,
]

/** The indexes that can be dropped and made again: not those of keys, and those of partitions come with the parent's. */
const INDEXES = `select indexname as name, indexdef as definition from pg_indexes
  where schemaname = 'public' and tablename in ('profiles', 'profile_identities', 'profile_event_counters', 'subscriptions',
      'events', 'deliveries', 'accepted_blocks', 'receipts')
    and not exists (select from pg_constraint where conname = indexname)`

function fill(sql: string, { brandId, people }: Pick<Seed, 'brandId' | 'people'>): string {
  const { days, names, broadcasts } = READ_SEED
  const numbers: Readonly<Record<string, number>> = { brandId, people, days, names, broadcasts }
  return sql.replaceAll(/:(\w+)/g, (whole, name: string) => numbers[name]?.toString() ?? whole)
}

const CONTENT = JSON.stringify({ ...BLANK_CONTENT, title: 'A title', body: 'A text', ttlSeconds: 3_600 })

/** The devices that the broadcasts went to. One in twenty took it at the second attempt and is a row, and the others are bits. */
const RECIPIENTS = `select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as notification_id,
    1 + (n * 7919 + d) % (:people * 3) as subscription_id,
    now() - (:broadcasts - n) * interval '12 hours' + d * interval '1 millisecond' as at
  from generate_series(1, :broadcasts) as n, generate_series(1::bigint, :people / 10) as d`

/** The place of a row gives everything in it. */
const ROWS: Readonly<Record<string, string>> = {
  profiles: `insert into profiles (brand_id, id, email, attributes, tags, created_at, updated_at)
    select :brandId, n, 'mail' || n || '@example.com', jsonb_build_object('city', (array['Oslo', 'Rome', 'Lima', 'Bonn', 'Cork'])[1 + n * 7 % 5],
      'age', 18 + n % 60, 'plan', 'plan ' || n % 3, 'note', 'person number ' || n),
      case when n % 1000 = 0 then '{rare}' else '{}' end::text[], now() - (:people - n) * interval '1 second', now()
    from generate_series(1::bigint, :people) as n`,
  identities: `insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
    select :brandId, 'user_id', 'User-' || n, n, now() from generate_series(1::bigint, :people) as n`,
  subscriptions: `insert into subscriptions (brand_id, id, subscription_id, platform, address, address_hash, profile_id, tags,
      time_zone, language, app_version, state_since, created_at, registered_at, updated_at)
    select :brandId, n, 'sub-' || n, 'android', 'token-' || n, sha256(('token-' || n)::bytea), 1 + n % :people,
      case when n % 7 = 0 then '{vip,new}' else '{new}' end::text[], (array['Europe/Oslo', 'Asia/Tokyo', 'UTC'])[1 + n % 3],
      (array['en', 'de', 'tr', 'fr'])[1 + n % 4], '1.' || n % 30, now(), now(), now(), now()
    from generate_series(1::bigint, :people * 3) as n`,
  tags: `insert into tag_counts (brand_id, tag, count, last_seen_at)
    select :brandId, tag, count(*), now() from (
      select unnest(tags) as tag from profiles where brand_id = :brandId
      union all select unnest(tags) from subscriptions where brand_id = :brandId
    ) as carried group by tag`,
  events: `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
    select (extract(epoch from at)::bigint * 1000 << 21) + n % 1048576, 1 + abs(hashint8(n)::bigint) % :people, at, :brandId,
      false, 'event-' || abs(hashint8(n + 7)::bigint) % :names, 10,
      jsonb_build_object('amount', n % 500, 'sku', 'sku-' || n % 1000)
    from (select n, now() - :days * interval '1 day' + n * (:days * interval '1 day' / (:people * 10)) as at
      from generate_series(0::bigint, :people * 10 - 1) as n) as placed`,
  notifications: `insert into notifications (brand_id, id, platform, mode, content, hand_over_seconds, state, send_at, expires_at,
      created_at, finished_at, audience, accepted)
    select :brandId, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'android', 'all',
      '${CONTENT}', 3600, 'sent', at, at + interval '1 day', at, at, :people / 10, :people / 10
    from (select n, now() - (:broadcasts - n) * interval '12 hours' as at from generate_series(1, :broadcasts) as n) as placed`,
  deliveries: `insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at)
    select :brandId, notification_id, subscription_id, 'accepted', 2, at from (${RECIPIENTS}) as recipients
    where subscription_id % 20 = 0`,
  blocks: `insert into accepted_blocks (brand_id, notification_id, block, first_place, at, bits)
    select :brandId, notification_id, first >> 10, first & 1023, min(at),
      string_agg(set_byte('\\x00'::bytea, 0, byte), ''::bytea order by place)
    from (
      select notification_id, first, (subscription_id - first) / 8 as place, min(at) as at,
        sum(1 << ((subscription_id - first) % 8)::integer)::integer as byte
      from (
        select *, min(subscription_id) over (partition by notification_id, subscription_id >> 9) as first
        from (${RECIPIENTS}) as recipients where subscription_id % 20 > 0
      ) as accepted group by 1, 2, 3
    ) as bytes group by notification_id, first`,
  receipts: `insert into receipts (brand_id, notification_id, subscription_id, kind, at)
    select :brandId, notification_id, subscription_id, 'received', at + interval '1 minute' from (${RECIPIENTS}) as recipients
    where subscription_id % 20 = 7`,
  activity: `insert into profile_activity (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv)
    select :brandId, n, 10, now() - interval '60 days', now(), 100 from generate_series(1::bigint, :people) as n`,
  counters: `insert into profile_event_counters (brand_id, profile_id, event_name, event_count, first_event_at, last_event_at)
    select brand_id, profile_id, event_name, count(*), min(event_at), max(event_at) from events
    where event_name = 'event-3' group by 1, 2, 3`,
  names: `insert into event_names (brand_id, event_name, event_count, first_seen_at, last_seen_at)
    select :brandId, 'event-' || n, :people, now() - interval '60 days', now() from generate_series(0, :names - 1) as n`,
  locks: `insert into attribute_locks (brand_id, event_name, attribute, type, locked_at, last_seen_at, shown_count)
    select :brandId, '', attribute, type, now(), now(), 0
    from (values ('city', 'string'), ('age', 'number'), ('plan', 'string'), ('note', 'string')) as l (attribute, type)
    union all
    select :brandId, 'event-' || n, attribute, type, now(), now(), :people
    from (values ('amount', 'number'), ('sku', 'string')) as l (attribute, type), generate_series(0, :names - 1) as n`,
}
