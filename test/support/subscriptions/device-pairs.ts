import type { Database } from '../../../src/store/db.ts'

/**
 * Seeds devices with the ids from 1 on: each person has an Android device and a browser. PostgreSQL gets no statistics of the
 * rows, as after an import.
 */
export async function seedDevicePairs(database: Database, brandId: number, devices: number): Promise<void> {
  const statements = [
    `insert into profiles (brand_id, id, created_at, updated_at)
     select $1, n, now(), now() from generate_series(1, $2::bigint / 2) as n`,
    `insert into subscriptions (brand_id, id, subscription_id, platform, address, address_hash, profile_id, web_p256dh,
       web_auth, state_since, created_at, registered_at, updated_at)
     select $1, n, 's' || n, case when n % 2 = 0 then 'web' else 'android' end, 't' || n, sha256(('t' || n)::bytea),
       (n + 1) / 2, 'p', 'a', now(), now(), now(), now() from generate_series(1, $2::bigint) as n`,
  ]
  for (const sql of statements) await database.query(sql, [brandId, devices])
}

/** Seeds devices with the ids from 1 on, all of one person; the last tenth of them has the tag `late`. */
export async function seedCrowdedPerson(database: Database, brandId: number, devices: number): Promise<void> {
  const statements = [
    `insert into profiles (brand_id, id, created_at, updated_at) select $1, least($2::bigint, 1), now(), now()`,
    `insert into subscriptions (brand_id, id, subscription_id, platform, address, address_hash, profile_id, tags, state_since,
       created_at, registered_at, updated_at)
     select $1, n, 's' || n, 'android', 't' || n, sha256(('t' || n)::bytea), 1,
       case when n > $2 * 0.9 then '{late}' else '{}' end::text[], now(), now(), now(), now()
     from generate_series(1, $2::bigint) as n`,
  ]
  for (const sql of statements) await database.query(sql, [brandId, devices])
}
