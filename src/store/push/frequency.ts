import { FREQUENCY_LIMITS } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import type { PurgeBounds } from '../purge-aged.ts'

export type FrequencyQuery = {
  readonly brandId: number
  readonly notification: string
  /** How many notifications a person may get in one day. */
  readonly cap: number
  readonly day: string
  /** The subscriptions that are about to get the notification. */
  readonly ids: readonly bigint[]
}

/**
 * Counts a notification for the people of these subscriptions, and gives the subscriptions of people who had already
 * reached the cap. A person counts once however many devices they have, and a notification that is opened again is not
 * counted again. Rows are written in order, so that no two workers wait for each other in a circle.
 */
export async function takeFrequency(tx: Db, query: FrequencyQuery): Promise<ReadonlySet<bigint>> {
  const { brandId, notification, cap, day, ids } = query
  await tx.query(
    `insert into frequency_days as f (brand_id, profile_id, day, notification_ids)
     select distinct $1::integer, ${PERSON} as person, $3::date, array[$4::uuid] from subscriptions as s
     where s.brand_id = $1 and s.id = any($2::bigint[]) order by person
     on conflict (brand_id, profile_id, day) do update
     set notification_ids = f.notification_ids || excluded.notification_ids
     where cardinality(f.notification_ids) < $5 and not f.notification_ids @> excluded.notification_ids`,
    [brandId, ids, day, notification, cap],
  )
  const { rows } = await tx.query<{ id: bigint }>(
    `select s.id from subscriptions as s
     join frequency_days as f on f.brand_id = s.brand_id and f.profile_id = ${PERSON} and f.day = $3
     where s.brand_id = $1 and s.id = any($2::bigint[]) and not f.notification_ids @> array[$4::uuid]`,
    [brandId, ids, day, notification],
  )
  return new Set(rows.map(({ id }) => id))
}

const PERSON = 'coalesce(s.profile_id, -s.id)'

/** Deletes the counts of past days. */
export async function purgeFrequencyDays(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  const { count } = await db.query(
    `with old as (
       select stale.* from brands
       cross join lateral (
         select f.brand_id, f.profile_id, f.day from frequency_days as f
         where f.brand_id = brands.id and f.day < ($1::timestamptz)::date - ${FREQUENCY_LIMITS.keepDays} limit $2
       ) as stale
       limit $2
     )
     delete from frequency_days as f using old
     where f.brand_id = old.brand_id and f.profile_id = old.profile_id and f.day = old.day`,
    [new Date(now), rowsMax],
  )
  return count
}
