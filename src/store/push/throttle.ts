import type { Db } from '../db.ts'
import type { NotificationRef } from './notification-reads.ts'

export type ThrottleShare = {
  /** How many messages may be sent. */
  readonly count: number
  /** When the first of them is due, in milliseconds from now; negative when that is past. */
  readonly startMs: number
}

export type ThrottleAsk = NotificationRef & {
  readonly wanted: number
  /** The longest time that one share covers: the gap that a worker leaves when it dies. */
  readonly stretchMs: number
  /** How far ahead shares are given out. A worker that asks when they are further ahead gets none and waits. */
  readonly aheadMs: number
  /** How much of a delay may be caught up. */
  readonly behindMs: number
}

/**
 * Gives a worker its share of a throttled notification. The shares follow each other in time without gap or overlap,
 * whichever worker asks, so that the pace of all workers together is exact. With a count of 0, the worker asks again
 * at `startMs`. Shares are never further ahead than the bounds allow, unless the clock was set back.
 */
export async function takeThrottleShare(db: Db, ask: ThrottleAsk): Promise<ThrottleShare> {
  const { rows } = await db.query<ThrottleShare>(
    `with asked as (
       select brand_id, id, per_second, moment.now,
         greatest(
           least(coalesce(throttled_until, moment.now), moment.now + ($4::float8 + $5::float8) * interval '1 millisecond'),
           moment.now - $6 * interval '1 millisecond'
         ) as starts_at
       from notifications cross join (select clock_timestamp() as now) as moment
       where brand_id = $1 and id = $2 for update of notifications
     ), share as (
       select brand_id, id, starts_at, per_second, extract(epoch from starts_at - now) * 1000 as start_ms,
         case when starts_at > now + $5 * interval '1 millisecond' then 0
           else least($3::bigint, greatest(1, floor(per_second * $4 / 1000.0)))::integer end as count
       from asked
     ), taken as (
       update notifications as n
       set throttled_until = share.starts_at + share.count * interval '1 second' / share.per_second
       from share where n.brand_id = share.brand_id and n.id = share.id and share.count > 0
     )
     select count, start_ms::float8 as "startMs" from share`,
    [ask.brandId, ask.id, ask.wanted, ask.stretchMs, ask.aheadMs, ask.behindMs],
  )
  return rows[0] ?? { count: 0, startMs: 0 }
}
