import type { Candidate, TargetFacts, TargetKeys } from '../domain/target.ts'
import type { Platform } from '../rules/platforms.ts'
import type { Db } from './db.ts'

export type TargetQuery = {
  readonly brandId: number
  readonly platform: Platform
  readonly keys: TargetKeys
}

/** Everything that the keys of a `/send` could mean, in one trip. A key that is null finds nothing. */
export async function loadTargetFacts(
  db: Db,
  { brandId, platform, keys }: TargetQuery,
): Promise<TargetFacts> {
  const { userId, subscriptionId, eitherId, deviceId } = keys
  const { rows } = await db.query<FactsRow>(FACTS, [
    brandId,
    userId,
    eitherId,
    subscriptionId,
    platform,
    deviceId,
  ])
  const [first] = rows
  const candidates = new Map<bigint, Candidate>()
  for (const { id, ...row } of rows) if (id !== null) candidates.set(id, { id, ...row })
  return {
    userProfileId: first?.userProfileId ?? null,
    eitherProfileId: first?.eitherProfileId ?? null,
    candidates: [...candidates.values()],
  }
}

/** A left join: `id` is null in the one row of keys that find no subscription. */
type FactsRow = Omit<Candidate, 'id'> & {
  readonly id: bigint | null
  readonly userProfileId: bigint | null
  readonly eitherProfileId: bigint | null
}

const FOUND = `select id, subscription_id, profile_id, platform, device_id, state, tags from subscriptions`

/** One index probe for each way to be found; the planner does not do that by itself for an `or`. */
const FACTS = `with named as (
    select
      (select profile_id from profile_identities where brand_id = $1 and kind = 'user_id' and value = $2) as user_profile_id,
      (select profile_id from profile_identities where brand_id = $1 and kind = 'user_id' and value = $3) as either_profile_id
  )
  select named.user_profile_id as "userProfileId", named.either_profile_id as "eitherProfileId",
    found.id, found.subscription_id as "subscriptionId", found.profile_id as "profileId", found.platform,
    found.device_id as "deviceId", found.state = 'live' as "isLive", found.tags || coalesce(profiles.tags, '{}') as tags
  from named
  left join lateral (
    ${FOUND} where brand_id = $1 and profile_id = named.user_profile_id
    union all ${FOUND} where brand_id = $1 and profile_id = named.either_profile_id
    union all ${FOUND} where brand_id = $1 and subscription_id = $4
    union all ${FOUND} where brand_id = $1 and subscription_id = $3
    union all ${FOUND} where brand_id = $1 and platform = $5 and device_id = $6
  ) as found on true
  left join profiles on profiles.brand_id = $1 and profiles.id = found.profile_id`
