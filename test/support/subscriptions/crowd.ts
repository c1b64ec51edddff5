import { withOwner } from '../../../src/store/db.ts'

export type Crowd = { readonly brandId: number; readonly count: number }

/**
 * Very many devices at once, and what PostgreSQL knows about them: all carry the tag `vip`, every third is an iPhone, and
 * those with an even number belong to a person each.
 */
export async function saveCrowd(url: string, { brandId, count }: Crowd): Promise<void> {
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
