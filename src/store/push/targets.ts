import type { Candidate, TargetFacts, TargetKeys } from '../../domain/push/target.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Db } from '../db.ts'

export type TargetQuery = { readonly platform: Platform; readonly keys: TargetKeys }

/** Everything that the keys of each `/send` could refer to, in one trip for all of them. */
export async function loadTargetFacts(
  db: Db,
  brandId: number,
  queries: readonly TargetQuery[],
): Promise<ReadonlyMap<TargetKeys, TargetFacts>> {
  if (queries.length === 0) return new Map()
  const asked = queries.map(({ platform, keys }, place) => ({ place, platform, ...keys }))
  const { rows } = await db.query<FactsRow>(LOAD, [brandId, encodeJson(asked)])
  const found = Map.groupBy(rows, ({ place }) => place)
  return new Map(queries.map(({ keys }, place) => [keys, factsIn(found.get(place) ?? [])]))
}

/** `id` is null in the one row of keys that find no subscription, because of the left join. */
type FactsRow = Omit<Candidate, 'id'> & {
  readonly place: number
  readonly id: bigint | null
  readonly userProfileId: bigint | null
  readonly eitherProfileId: bigint | null
}

/** The facts of one send. Several keys may find one subscription. */
function factsIn(rows: readonly FactsRow[]): TargetFacts {
  const [first] = rows
  const candidates = new Map<bigint, Candidate>()
  for (const { id, ...row } of rows) if (id !== null) candidates.set(id, { id, ...row })
  return {
    userProfileId: first?.userProfileId ?? null,
    eitherProfileId: first?.eitherProfileId ?? null,
    candidates: [...candidates.values()],
  }
}

/**
 * One index lookup for each key, because the planner does not do that by itself for an `or`. The keys come as JSON,
 * which has the same estimated number of rows in every call; the planner would count an array's elements and plan anew
 * each time.
 */
const LOAD = {
  name: 'load_targets',
  text: `select asked.place, named.user_profile_id as "userProfileId", named.either_profile_id as "eitherProfileId",
      found.id, found.subscription_id as "subscriptionId", found.profile_id as "profileId", found.platform,
      found.device_id as "deviceId", found.state = 'live' as "isLive",
      found.tags || coalesce(person.tags, '{}') as tags
    from jsonb_to_recordset($2::jsonb) as asked (place integer, platform text, "userId" text, "subscriptionId" text,
      "eitherId" text, "deviceId" text)
    cross join lateral (
      select ${profileSql('asked."userId"')} as user_profile_id, ${profileSql('asked."eitherId"')} as either_profile_id
      offset 0
    ) as named
    left join lateral (
      ${foundSql('profile_id', 'named.user_profile_id')} union all
      ${foundSql('profile_id', 'named.either_profile_id')} union all
      ${foundSql('subscription_id', 'asked."subscriptionId"')} union all
      ${foundSql('subscription_id', 'asked."eitherId"')} union all
      ${foundSql('device_id', 'asked."deviceId"')} and platform = asked.platform
    ) as found on true
    left join lateral (
      select tags from profiles where brand_id = $1 and id = found.profile_id limit 1
    ) as person on true`,
}

function profileSql(userId: string): string {
  return `(select profile_id from profile_identities
    where brand_id = $1 and kind = 'user_id' and value = ${userId})`
}

/** The condition of one key. It asks for null first, so that a key that was not given is not looked up. */
function foundSql(column: string, key: string): string {
  return `select id, subscription_id, profile_id, platform, device_id, state, tags from subscriptions
    where brand_id = $1 and ${key} is not null and ${column} = ${key}`
}
