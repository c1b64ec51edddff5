import type { Db } from '../db.ts'
import { ProfileGone } from '../retry.ts'
import { makeProfiles } from './profile-making.ts'

export type WantedUsers = {
  readonly brandId: number
  readonly userIds: readonly string[]
  readonly now: number
}

/**
 * The profile of every user id, made where there is none; call it in a transaction. The profiles are locked against
 * erasure until the transaction ends, so that rows that point at them can be stored.
 */
export async function ensureProfiles(tx: Db, wanted: WantedUsers): Promise<ReadonlyMap<string, bigint>> {
  const userIds = [...new Set(wanted.userIds)]
  if (userIds.length === 0) return new Map()
  const known = await findAndLock(tx, wanted.brandId, userIds)
  const missing = userIds.filter((userId) => !known.has(userId))
  if (missing.length === 0) return known

  const { brandId, now: createdAt } = wanted
  await makeProfiles(tx, { brandId, kind: 'user_id', values: missing, createdAt })
  const all = await findAndLock(tx, brandId, userIds)
  if (all.size < userIds.length) throw new ProfileGone('a profile was erased in the moment it was made')
  return all
}

/** The existing profiles. A profile that was erased in the meantime cannot be locked, and is left out. */
async function findAndLock(
  tx: Db,
  brandId: number,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await tx.query<{ userId: string; profileId: bigint }>(
    `select value as "userId", profile_id as "profileId" from profile_identities
     where brand_id = $1 and kind = 'user_id' and value = any($2)`,
    [brandId, userIds],
  )
  const locked = await lockProfiles(tx, brandId, rows)
  return new Map(
    rows.flatMap(({ userId, profileId }) => (locked.has(profileId) ? [[userId, profileId]] : [])),
  )
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
