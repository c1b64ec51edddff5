import type { Db } from '../db.ts'
import type { ChannelRef } from '../push/channels.ts'
import { SUBSCRIPTION_FACT, subscriptionFactSql } from '../webhooks/facts.ts'

export type RetiredSince = ChannelRef & { readonly since: number; readonly limit: number }

/**
 * Makes subscriptions live again that were retired since an instant, the latest first, in one statement that locks them
 * in order. An address that is really dead is retired again by its next message.
 */
export async function restoreSubscriptions(db: Db, retired: RetiredSince): Promise<number> {
  const { brandId, platform, since, limit } = retired
  const { rows } = await db.query<{ restored: number }>(
    `with latest as materialized (
       select id from subscriptions where brand_id = $1 and platform = $2 and state = 'gone' and state_since >= $3
       order by state_since desc limit $4
     ), locked as materialized (
       select id from subscriptions where brand_id = $1 and id in (select id from latest) and state = 'gone'
       order by id for update
     ), restored as (
       update subscriptions as s
       set state = 'live', state_reason = null, state_since = clock_timestamp(), updated_at = clock_timestamp()
       from locked where s.brand_id = $1 and s.id = locked.id
       returning ${SUBSCRIPTION_FACT}
     ), enqueued as (
       ${subscriptionFactSql({ from: 'restored', type: `'subscription.created'` })}
     )
     select count(*)::integer as restored from restored`,
    [brandId, platform, new Date(since), limit],
  )
  return rows[0]?.restored ?? 0
}
