import type { Db } from '../../../src/store/db.ts'

export type ActivitySeed = {
  readonly brandId: number
  readonly userId: string
  readonly quarters: readonly number[]
}

/** The activity of a person in these quarter hours, as the pipeline would have counted it. */
export async function seedActivity(db: Db, { brandId, userId, quarters }: ActivitySeed): Promise<void> {
  await db.query(
    `insert into profile_activity
       (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv, active_quarters)
     select $1, profile_id, cardinality($3::integer[]), now(), now(), 0, $3 from profile_identities
     where brand_id = $1 and kind = 'user_id' and value = $2`,
    [brandId, userId, quarters],
  )
}
