import type { Candidate, TargetFacts, TargetKeys } from '../domain/target.ts'
import type { Platform } from '../rules/platforms.ts'
import { Binds } from './bind.ts'
import type { Db } from './db.ts'

export type TargetQuery = {
  readonly brandId: number
  readonly platform: Platform
  readonly keys: TargetKeys
}

/** Everything that the keys of a `/send` could mean, in one trip. */
export async function loadTargetFacts(db: Db, query: TargetQuery): Promise<TargetFacts> {
  const { statement, values } = factsSql(query)
  const { rows } = await db.query<FactsRow>(statement, values)
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

/**
 * One index probe for each way to be found, since the planner does not do that by itself for an `or`; and only for
 * the keys that are there. A condition on null would make each plan cheaper than the general one, and the server
 * would plan anew every time. So there is a statement for each set of keys, under its own name.
 */
function factsSql({ brandId, platform, keys }: TargetQuery) {
  const { userId, subscriptionId, eitherId, deviceId } = keys
  const binds = new Binds()
  const brand = binds.add(brandId)
  const user = userId === null ? null : binds.add(userId)
  const either = eitherId === null ? null : binds.add(eitherId)
  const found = [
    ...(user === null ? [] : ['profile_id = named.user_profile_id']),
    ...(either === null ? [] : ['profile_id = named.either_profile_id', `subscription_id = ${either}`]),
    ...(subscriptionId === null ? [] : [`subscription_id = ${binds.add(subscriptionId)}`]),
    ...(deviceId === null
      ? []
      : [`platform = ${binds.add(platform)} and device_id = ${binds.add(deviceId)}`]),
  ]
  const present = Object.entries(keys).filter(([, key]) => key !== null)
  const name = `load target by ${present.map(([key]) => key).join()}`
  const text = `with named as materialized (
      select ${profileSql(brand, user)} as user_profile_id, ${profileSql(brand, either)} as either_profile_id
    )
    select named.user_profile_id as "userProfileId", named.either_profile_id as "eitherProfileId",
      found.id, found.subscription_id as "subscriptionId", found.profile_id as "profileId", found.platform,
      found.device_id as "deviceId", found.state = 'live' as "isLive",
      found.tags || coalesce(profiles.tags, '{}') as tags
    from named
    left join lateral (${found.map((condition) => `${FOUND} where brand_id = ${brand} and ${condition}`).join(' union all ')})
      as found on true
    left join profiles on profiles.brand_id = ${brand} and profiles.id = found.profile_id`
  return { statement: { name, text }, values: binds.values }
}

const FOUND = `select id, subscription_id, profile_id, platform, device_id, state, tags from subscriptions`

function profileSql(brand: string, userId: string | null): string {
  if (userId === null) return 'null::bigint'
  return `(select profile_id from profile_identities
    where brand_id = ${brand} and kind = 'user_id' and value = ${userId})`
}
