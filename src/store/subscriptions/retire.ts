import type { Db } from '../db.ts'
import { SUBSCRIPTION_FACT, subscriptionFactSql } from '../webhooks/facts.ts'

/** A subscription that a provider reported dead. */
export type DeadSubscription = {
  readonly id: bigint
  readonly reason: string
  /** The time of the registration that was sent to. */
  readonly registeredAt: number
  /** When the provider learnt that the device is gone; null when it did not say. */
  readonly goneAt: number | null
}

/**
 * Retires dead subscriptions, in one statement that locks them in order. A device that registered again after it was
 * read, or after the time that the provider gave, is live whatever the answer was.
 */
export async function retireSubscriptions(
  db: Db,
  brandId: number,
  dead: readonly DeadSubscription[],
): Promise<number> {
  if (dead.length === 0) return 0
  const { rows } = await db.query<{ retired: number }>(RETIRE, [
    brandId,
    dead.map(({ id }) => id),
    dead.map(({ reason }) => reason),
    dead.map(({ registeredAt }) => new Date(registeredAt)),
    dead.map(({ goneAt }) => (goneAt === null ? null : new Date(goneAt))),
  ])
  return rows[0]?.retired ?? 0
}

/** The statement has a name, because planning it takes longer than retiring a few devices. */
const RETIRE = {
  name: 'retire_subscriptions',
  text: `with locked as materialized (
       select id from subscriptions where brand_id = $1 and id = any($2) and state = 'live' order by id for update
     ), retired as (
     update subscriptions as s
     set state = 'gone', state_reason = dead.reason, state_since = clock_timestamp(), updated_at = clock_timestamp()
     from unnest($2::bigint[], $3::text[], $4::timestamptz[], $5::timestamptz[])
       as dead (id, reason, registered_at, gone_at)
     where s.brand_id = $1 and s.id = dead.id and s.id in (select id from locked) and s.state = 'live'
       and date_trunc('milliseconds', s.registered_at) <= dead.registered_at
       and (dead.gone_at is null or s.registered_at < dead.gone_at)
     returning ${SUBSCRIPTION_FACT}
     ), enqueued as (
       ${subscriptionFactSql({ from: 'retired', type: `'subscription.gone'` })}
     )
     select count(*)::integer as retired from retired`,
}
