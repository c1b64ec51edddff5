import type { Db } from '../db.ts'

/** A row that is there is written again: a count that is about to take it waits, and sees what is changed now. */
export const RECOUNT_AGAIN =
  'on conflict (brand_id, profile_id) do update set profile_id = excluded.profile_id'

/** Asks for a new count of people whose events have moved to them, or away from them. */
export async function askGoalRecount(tx: Db, brandId: number, profileIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `insert into goal_recounts (brand_id, profile_id)
     select $1, profile_id from unnest($2::bigint[]) as profile_id
     where exists (select from event_readers where brand_id = $1 and reader = 'goals')
     order by profile_id ${RECOUNT_AGAIN}`,
    [brandId, profileIds],
  )
}

/** Brands with people who are to be counted again. */
export async function findGoalRecounts(db: Db, limit: number): Promise<readonly number[]> {
  const { rows } = await db.query<{ brandId: number }>(
    `select id as "brandId" from brands
     where exists (select from goal_recounts as r where r.brand_id = brands.id) limit $1`,
    [limit],
  )
  return rows.map(({ brandId }) => brandId)
}

/** Takes people of a brand who are to be counted again; a transaction that fails leaves them. */
export async function takeGoalRecounts(tx: Db, brandId: number, rowsMax: number): Promise<readonly bigint[]> {
  const { rows } = await tx.query<{ profileId: bigint }>(
    `with part as (
       select profile_id from goal_recounts where brand_id = $1 limit $2
     )
     delete from goal_recounts as r using part
     where r.brand_id = $1 and r.profile_id = part.profile_id returning r.profile_id as "profileId"`,
    [brandId, rowsMax],
  )
  return rows.map(({ profileId }) => profileId)
}
