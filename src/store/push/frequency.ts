import { FREQUENCY_LIMITS } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import type { PurgeBounds } from '../purge-aged.ts'

/** A subscription that is about to get a notification under the brand's frequency cap, on a day of its own zone. */
export type FrequencyTake = {
  readonly brandId: number
  readonly notification: string
  readonly subscriptionId: bigint
  readonly day: string
}

/** Names a take among others. */
export function recipientName({ brandId, notification, subscriptionId }: Omit<FrequencyTake, 'day'>): string {
  return `${brandId} ${notification} ${subscriptionId}`
}

/**
 * Counts notifications for the people of these subscriptions, and gives the names of the takes of people who have
 * reached the cap without them. A person counts once however many devices they have, and a notification that is opened
 * again is not counted again. Rows are written in order, so that no two workers wait for each other in a circle.
 */
export async function takeFrequency(tx: Db, takes: readonly FrequencyTake[]): Promise<ReadonlySet<string>> {
  const values = [
    takes.map(({ brandId }) => brandId),
    takes.map(({ notification }) => notification),
    takes.map(({ subscriptionId }) => subscriptionId),
    takes.map(({ day }) => day),
  ]
  await tx.query(COUNT, values)
  const { rows } = await tx.query<Omit<FrequencyTake, 'day'>>(FIND_CAPPED, values)
  return new Set(rows.map(recipientName))
}

/** `person` is the profile; a device without one counts as a person of its own. */
const TAKEN = `unnest($1::integer[], $2::uuid[], $3::bigint[], $4::date[]) as take (brand_id, notification, subscription, day)
  cross join lateral (
    select coalesce(s.profile_id, -s.id) as person from subscriptions as s
    where s.brand_id = take.brand_id and s.id = take.subscription offset 0
  ) as counted`

const CAP = '(select frequency_cap from brands where id = f.brand_id)'

/** Several notifications of one person are one row here, because a statement can change a row only once. */
const COUNT = {
  name: 'count_frequency',
  text: `insert into frequency_days as f (brand_id, profile_id, day, notification_ids)
    select taken.brand_id, person, day, (array_agg(notification order by notification))[1:brands.frequency_cap]
    from (select distinct take.brand_id, person, day, notification from ${TAKEN}) as taken
    join brands on brands.id = taken.brand_id
    group by taken.brand_id, person, day, brands.frequency_cap order by taken.brand_id, person, day
    on conflict (brand_id, profile_id, day) do update
    set notification_ids = f.notification_ids || array(
      select added from unnest(excluded.notification_ids) as added where added <> all(f.notification_ids)
      limit ${CAP} - cardinality(f.notification_ids))
    where cardinality(f.notification_ids) < ${CAP} and not f.notification_ids @> excluded.notification_ids`,
}

const FIND_CAPPED = {
  name: 'find_capped',
  text: `select take.brand_id as "brandId", take.notification, take.subscription as "subscriptionId" from ${TAKEN}
    cross join lateral (
      select notification_ids from frequency_days as f
      where f.brand_id = take.brand_id and f.profile_id = person and f.day = take.day offset 0
    ) as had
    where not had.notification_ids @> array[take.notification]`,
}

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
