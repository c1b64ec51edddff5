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

/** Those there are. A profile that was erased in the meantime is not locked, and so not among them. */
async function holdProfiles(
  tx: Db,
  brandId: number,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await tx.query<{ userId: string; profileId: bigint }>(
    `select value as "userId", profile_id as "profileId" from profile_identities
     where brand_id = $1 and kind = 'user_id' and value = any($2)`,
    [brandId, userIds],
  )
  const held = await lockProfiles(tx, brandId, rows)
  return new Map(rows.flatMap(({ userId, profileId }) => (held.has(profileId) ? [[userId, profileId]] : [])))
}

async function lockProfiles(
  tx: Db,
  brandId: number,
  known: readonly { readonly profileId: bigint }[],
): Promise<ReadonlySet<bigint>> {
  if (known.length === 0) return new Set()
  const { rows } = await tx.query<{ id: bigint }>(
    'select id from profiles where brand_id = $1 and id = any($2) order by id for key share',
    [brandId, known.map(({ profileId }) => profileId)],
  )
  return new Set(rows.map(({ id }) => id))
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
