import type { Filter } from '../../domain/segments/segment.ts'
import type { Platform } from '../../rules/platforms.ts'
import { Binds, writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { segmentSql } from '../segments/sql.ts'

/** The facts about a person that the steps of a journey need. */
export type JourneyPerson = {
  readonly profileId: bigint
  /** The first user id of the person in the alphabet; a merged person has several. */
  readonly userId: string | null
  /** The zone of the device that registered last with a zone; without one, the brand's. */
  readonly zone: string
  readonly livePlatforms: readonly Platform[]
}

export async function loadJourneyPeople(
  tx: Db,
  brandId: number,
  profileIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, JourneyPerson>> {
  // Joined as sets: with a lookup for each person, a server without statistics would read a whole table for each.
  const { rows } = await tx.query<JourneyPerson>(
    `with reach as materialized (
       select profile_id, array_agg(distinct platform) as platforms,
         (array_agg(time_zone order by registered_at desc) filter (where time_zone is not null))[1] as zone
       from subscriptions where brand_id = $1 and profile_id = any($2) and state = 'live' group by profile_id
     ), named as materialized (
       select profile_id, min(value) as user_id from profile_identities
       where brand_id = $1 and profile_id = any($2) and kind = 'user_id' group by profile_id
     )
     select p.id as "profileId", named.user_id as "userId", coalesce(reach.zone, brands.time_zone) as zone,
       coalesce(reach.platforms, '{}') as "livePlatforms"
     from profiles as p join brands on brands.id = p.brand_id
     left join reach on reach.profile_id = p.id left join named on named.profile_id = p.id
     where p.brand_id = $1 and p.id = any($2)`,
    [brandId, profileIds],
  )
  return new Map(rows.map((row) => [row.profileId, row]))
}

type FilterQuery = {
  readonly brandId: number
  readonly filter: Filter
  readonly profileIds: readonly bigint[]
  readonly now: number
}

/**
 * Which of these people a filter matches: those with at least one live subscription that matches. Run it as the
 * engine.
 */
export async function findInFilter(tx: Db, query: FilterQuery): Promise<ReadonlySet<bigint>> {
  const binds = new Binds()
  const brand = binds.add(query.brandId)
  const now = writtenInstant(query.now)
  const { rows } = await tx.query<{ profileId: bigint }>(
    `select distinct s.profile_id as "profileId" from subscriptions as s
     where s.brand_id = ${brand} and s.state = 'live' and s.profile_id = any(${binds.add(query.profileIds)}::bigint[])
       and ${segmentSql(query.filter, { brandId: query.brandId, brand, binds, now, reach: 'few', people: query.profileIds })}`,
    binds.values,
  )
  return new Set(rows.map(({ profileId }) => profileId))
}
