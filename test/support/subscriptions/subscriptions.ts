import type { Platform } from '../../../src/rules/platforms.ts'
import type { Db } from '../../../src/store/db.ts'

export type SubscriptionSeed = {
  readonly brandId: number
  readonly platform?: Platform
  /** How many to make. */
  readonly count?: number
  readonly userId?: string
  readonly subscriptionId?: string
  readonly deviceId?: string
  readonly tags?: readonly string[]
  readonly timeZone?: string
  readonly state?: 'live' | 'unsubscribed' | 'gone'
}

/** Live subscriptions as rows, without the endpoint that registers them. Gives their ids, in order. */
export async function seedSubscriptions(db: Db, seed: SubscriptionSeed): Promise<readonly bigint[]> {
  const { rows } = await db.query<{ id: bigint }>(
    `with person as (
       insert into profiles (brand_id, created_at, updated_at) select $1, now(), now() where $3::text is not null
       and not exists (select from profile_identities where brand_id = $1 and kind = 'user_id' and value = $3)
       returning id, created_at
     ), named as (
       insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
       select $1, 'user_id', $3, id, created_at from person returning profile_id
     )
     insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, device_id, profile_id,
       web_p256dh, web_auth, tags, time_zone, state, state_since, created_at, registered_at, updated_at)
     select $1, coalesce($4, 'sub-' || token), $2, token, sha256(token::bytea), $5, coalesce(
         (select profile_id from named),
         (select profile_id from profile_identities where brand_id = $1 and kind = 'user_id' and value = $3)),
       'p256dh', 'auth', $6, $7, $8, now(), now(), now(), now()
     from (select gen_random_uuid()::text as token from generate_series(1, $9)) as fresh
     returning id`,
    [
      seed.brandId,
      seed.platform ?? 'android',
      seed.userId ?? null,
      seed.subscriptionId ?? null,
      seed.deviceId ?? null,
      seed.tags ?? [],
      seed.timeZone ?? null,
      seed.state ?? 'live',
      seed.count ?? 1,
    ],
  )
  return rows.map(({ id }) => id).toSorted((a, b) => Number(a - b))
}

export type DeviceSeed = {
  readonly brandId: number
  readonly platform: Platform
  readonly devices: readonly SeedDevice[]
}

export type SeedDevice = {
  readonly address: string
  readonly p256dh?: string
  readonly auth?: string
}

/** Live subscriptions of these devices. Gives their ids, in the order of the devices. */
export async function seedDevices(
  db: Db,
  { brandId, platform, devices }: DeviceSeed,
): Promise<readonly bigint[]> {
  const { rows } = await db.query<{ id: bigint }>(
    `insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, web_p256dh, web_auth,
       state_since, created_at, registered_at, updated_at)
     select $1, 'sub-' || gen_random_uuid(), $2, address, sha256(address::bytea), p256dh, auth, now(), now(), now(), now()
     from unnest($3::text[], $4::text[], $5::text[]) with ordinality as given (address, p256dh, auth, place)
     order by place returning id`,
    [
      brandId,
      platform,
      devices.map(({ address }) => address),
      devices.map(({ p256dh }) => p256dh ?? null),
      devices.map(({ auth }) => auth ?? null),
    ],
  )
  return rows.map(({ id }) => id)
}
