import { deliveryFactSql } from '../webhooks/facts.ts'
import { IS_SET, PLACES, UNPACKED_ID } from './delivery-sql.ts'

/** Enqueues messages for webhooks about deliveries that ended. A cancelled delivery is not reported. */
export function deliveryEndedSql(from: string): string {
  const type = `case fact.state when 'accepted' then 'delivery.accepted' when 'failed' then 'delivery.failed'
    when 'expired' then 'delivery.failed' end`
  return deliveryFactSql(
    { from, type },
    {
      state: 'fact.state',
      reason: 'fact.reason',
      attempt: 'fact.attempt',
    },
  )
}

/** The columns that `deliveryEndedSql` needs of a row of `deliveries`, there called `d`. */
export const DELIVERY_FACT = 'd.brand_id, d.notification_id, d.subscription_id, d.state, d.reason, d.attempt'

/** The same columns for the bits of new rows of `accepted_blocks`, of brands that want to hear of them. */
export function packedFactsSql(from: string): string {
  return `select packed.brand_id, packed.notification_id, ${UNPACKED_ID} as subscription_id, 'accepted' as state,
      null::text as reason, 1 as attempt
    from (select * from ${from} as p where p.is_packed and exists (select from webhook_endpoints as e
      where e.brand_id = p.brand_id and e.disabled_at is null and 'delivery.accepted' = any(e.event_types)) offset 0
    ) as packed cross join lateral ${PLACES} where ${IS_SET}`
}

/** Closes the deliveries of chunks in `gone` that wait for a retry. A subscription that was never tried has no row. */
export function closeSql(state: string, reason: string): string {
  return `closed as (
    update deliveries as d set state = ${state}, reason = ${reason}, at = clock_timestamp()
    from gone cross join unnest(gone.subscription_ids) as waiting (id)
    where d.brand_id = gone.brand_id and d.notification_id = gone.notification_id
      and d.subscription_id = waiting.id and d.state = 'retrying'
    returning ${DELIVERY_FACT}
  ), enqueued as (${deliveryEndedSql('closed')})`
}
