import type { Db } from '../db.ts'

type GoalRecount = { readonly brandId: number; readonly profileId: bigint }

/** Asks for a new count of people whose events have moved to them, or away from them. */
export async function askGoalRecount(tx: Db, brandId: number, profileIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `insert into goal_recounts (brand_id, profile_id)
     select $1, profile_id from unnest($2::bigint[]) as profile_id
     where exists (select from event_readers where brand_id = $1 and reader = 'goals')
     on conflict do nothing`,
    [brandId, profileIds],
  )
}

/** Takes people who are to be counted again; a transaction that fails leaves them. */
export async function takeGoalRecounts(tx: Db, rowsMax: number): Promise<readonly GoalRecount[]> {
  const { rows } = await tx.query<GoalRecount>(
    `with part as (
       select brand_id, profile_id from goal_recounts limit $1 for update skip locked
     )
     delete from goal_recounts as r using part
     where r.brand_id = part.brand_id and r.profile_id = part.profile_id
     returning r.brand_id as "brandId", r.profile_id as "profileId"`,
    [rowsMax],
  )
  return rows
}
