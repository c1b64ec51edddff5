import type { Filter } from '../domain/segment.ts'
import type { Platform } from '../rules/platforms.ts'
import { Binds } from './bind.ts'
import type { Db } from './db.ts'
import { segmentSql } from './segment-sql.ts'

/** What the steps of a journey need to know of a person who is still there. */
export type JourneyPerson = {
  readonly profileId: bigint
  /** The name they are known by; a merged person has several, and this is the first. */
  readonly userId: string | null
  /** The zone of the device that registered last and told one, else the brand's. */
  readonly zone: string
  readonly livePlatforms: readonly Platform[]
}

export async function loadJourneyPeople(
  tx: Db,
  brandId: number,
  profileIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, JourneyPerson>> {
  const { rows } = await tx.query<JourneyPerson>(
    `select p.id as "profileId",
       (select min(i.value) from profile_identities as i
         where i.brand_id = p.brand_id and i.profile_id = p.id and i.kind = 'user_id') as "userId",
       coalesce((select s.time_zone from subscriptions as s
         where s.brand_id = p.brand_id and s.profile_id = p.id and s.state = 'live' and s.time_zone is not null
         order by s.registered_at desc limit 1), brands.time_zone) as zone,
       array(select distinct s.platform from subscriptions as s
         where s.brand_id = p.brand_id and s.profile_id = p.id and s.state = 'live') as "livePlatforms"
     from profiles as p join brands on brands.id = p.brand_id
     where p.brand_id = $1 and p.id = any($2)`,
    [brandId, profileIds],
  )
  return new Map(rows.map((row) => [row.profileId, row]))
}

export type FilterQuery = {
  readonly brandId: number
  readonly filter: Filter
  readonly profileIds: readonly bigint[]
  readonly now: number
}

/** Which of these people a filter finds: those of whose live subscriptions at least one it finds. Run it as the engine. */
export async function findInFilter(tx: Db, query: FilterQuery): Promise<ReadonlySet<bigint>> {
  const binds = new Binds()
  const brand = binds.add(query.brandId)
  const now = `timestamptz '${new Date(query.now).toISOString()}'`
  const { rows } = await tx.query<{ profileId: bigint }>(
    `select distinct s.profile_id as "profileId" from subscriptions as s
     where s.brand_id = ${brand} and s.state = 'live' and s.profile_id = any(${binds.add(query.profileIds)}::bigint[])
       and ${segmentSql(query.filter, { brand, binds, now })}`,
    binds.values,
  )
  return new Set(rows.map(({ profileId }) => profileId))
}
