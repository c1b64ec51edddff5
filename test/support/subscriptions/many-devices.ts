import { withOwner } from '../../../src/store/db.ts'

export type ManyDevices = { readonly brandId: number; readonly count: number }

/**
 * Stores very many devices in one statement, and updates the statistics of PostgreSQL. All devices carry the tag `vip`,
 * every third is an iPhone, and each device with an even number belongs to a person of its own.
 */
export async function saveManyDevices(url: string, { brandId, count }: ManyDevices): Promise<void> {
  await withOwner(url, async (owner) => {
    await owner.query(
      `insert into profiles (brand_id, id, attributes, created_at, updated_at)
       select $1, n, '{}', now(), now() from generate_series(2::bigint, $2, 2) as n`,
      [brandId, count],
    )
    await owner.query(
      `insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, tags, profile_id,
         state_since, created_at, registered_at, updated_at)
       select $1, n, case when n % 3 = 0 then 'ios' else 'android' end, n, sha256(n::text::bytea), '{vip}',
         case when n % 2 = 0 then n end, now(), now(), now(), now()
       from generate_series(1::bigint, $2) as n`,
      [brandId, count],
    )
    await owner.query('analyze profiles, subscriptions')
  })
}
