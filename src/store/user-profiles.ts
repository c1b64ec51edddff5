import type { Db } from './db.ts'

export type WantedUsers = {
  readonly brandId: number
  readonly userIds: readonly string[]
  readonly now: number
}

/**
 * The profile of every user id, made where there is none; call it in a transaction. The profiles are held against
 * erasure until it ends, so that what points at them can be stored.
 */
export async function ensureProfiles(tx: Db, wanted: WantedUsers): Promise<ReadonlyMap<string, bigint>> {
  const userIds = [...new Set(wanted.userIds)]
  if (userIds.length === 0) return new Map()
  const known = await holdProfiles(tx, wanted.brandId, userIds)
  const missing = userIds.filter((userId) => !known.has(userId))
  if (missing.length === 0) return known

  const orphans = await makeProfiles(tx, { ...wanted, userIds: missing })
  if (orphans.length > 0) {
    await tx.query('delete from profiles where brand_id = $1 and id = any($2)', [wanted.brandId, orphans])
  }
  const all = await holdProfiles(tx, wanted.brandId, userIds)
  if (all.size < userIds.length) throw new Error('a profile was erased in the moment it was made')
  return all
}

/** Locked in order of the user id, which is the order in which they are made as well. */
async function holdProfiles(
  tx: Db,
  brandId: number,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await tx.query<{ userId: string; profileId: bigint }>(
    `select value as "userId", profile_id as "profileId"
     from profile_identities join profiles
       on profiles.brand_id = profile_identities.brand_id and profiles.id = profile_id
     where profile_identities.brand_id = $1 and kind = 'user_id' and value = any($2)
     order by value for key share of profiles`,
    [brandId, userIds],
  )
  return new Map(rows.map(({ userId, profileId }) => [userId, profileId]))
}

/**
 * Makes a profile for each user id, in order of the id, so that two callers who make the same ones never wait in a
 * circle. Gives back the profiles that somebody else's came before: they belong to nobody.
 */
async function makeProfiles(tx: Db, { brandId, userIds, now }: WantedUsers): Promise<readonly bigint[]> {
  const { rows } = await tx.query<{ id: bigint }>(
    `with wanted as (
       select value, row_number() over (order by value) as place from unnest($2::text[]) as given (value)
     ), made as (
       insert into profiles (brand_id, created_at, updated_at) select $1, $3, $3 from wanted returning id
     ), paired as (
       select value, id from wanted
       join (select id, row_number() over (order by id) as place from made) as numbered using (place)
     ), named as (
       insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
       select $1, 'user_id', value, id, $3 from paired order by value
       on conflict do nothing
       returning profile_id
     )
     select id from made where id not in (select profile_id from named)`,
    [brandId, userIds, new Date(now)],
  )
  return rows.map(({ id }) => id)
}
