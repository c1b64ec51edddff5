import type { RunningServer } from '../../test/support/processes/server.ts'

type Crowd = {
  readonly brandId: number
  /** A campaign that every device of the crowd got, and one that nobody got. */
  readonly sentId: string
  readonly unsentId: string
}

/** As many as an app has that gives everybody who is not signed in the same user id. */
const DEVICES = 5_000
const EVENTS_OF_ONE = 1_000
const PEOPLE = 1_000
const DAYS = 10
const DAY_MS = 86_400_000
/** Ids that the server has not given yet. */
const FIRST_ID = 1_000_000_000

/**
 * Rows for the routes that list people or devices: one person with very many devices and events, and people who did the same
 * event on several days. Rows are written in sets, as the owner and without triggers. Returns the first of these days.
 */
export async function seedCrowd({ asOwner }: RunningServer, crowd: Crowd): Promise<string> {
  const first = new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  await asOwner(['set session_replication_role = replica', ...rowsOf(crowd, first), 'analyze'].join(';\n'))
  return first
}

function rowsOf({ brandId, sentId, unsentId }: Crowd, first: string): readonly string[] {
  return [
    `insert into profiles (brand_id, id, created_at, updated_at)
     select ${brandId}, ${FIRST_ID} + n, now(), now() from generate_series(0, ${PEOPLE}) as n`,
    `insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
     select ${brandId}, 'user_id', rpad('crowd ' || n || ' ', 100, 'c'), ${FIRST_ID} + n, now() from generate_series(0, ${PEOPLE}) as n`,
    `insert into subscriptions (brand_id, id, subscription_id, platform, address, address_hash, profile_id, state_since,
       created_at, registered_at, updated_at)
     select ${brandId}, ${FIRST_ID} + n, 'crowd-' || n, 'android', 'crowd-' || n, sha256(('crowd-' || n)::bytea), ${FIRST_ID},
       now(), now(), now(), now()
     from generate_series(1, ${DEVICES}) as n`,
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
     select (extract(epoch from now())::bigint * 1000 << 21) + row_number() over (), person,
       timestamptz '${first}T12:00:00Z' + day * interval '1 day', ${brandId}, false, 'read', 0,
       jsonb_build_object('k1', repeat('y', 250))
     from (
       select ${FIRST_ID} as person, n % ${DAYS} as day from generate_series(1, ${EVENTS_OF_ONE}) as n
       union all
       select ${FIRST_ID} + n, day from generate_series(1, ${PEOPLE}) as n, generate_series(0, ${DAYS} - 1) as day
     ) as done`,
    ...[sentId, unsentId].map(
      (
        id,
      ) => `insert into notifications (brand_id, id, platform, mode, state, content, send_at, expires_at, created_at,
         campaign_id, hand_over_seconds)
       select ${brandId}, gen_random_uuid(), platform, 'all', 'sent', '{}', now(), now(), now(), ${id}, 60
       from unnest(array['android', 'ios', 'web']) as platform`,
    ),
    `insert into deliveries (brand_id, notification_id, subscription_id, state, attempt, at)
     select n.brand_id, n.id, s.id, 'accepted', 1, now() from notifications as n
     join subscriptions as s on s.brand_id = n.brand_id and s.platform = n.platform
     where n.brand_id = ${brandId} and n.campaign_id = ${sentId}`,
    `insert into receipts (brand_id, notification_id, subscription_id, kind, at)
     select brand_id, notification_id, subscription_id, 'received', at from deliveries where brand_id = ${brandId}`,
  ]
}
