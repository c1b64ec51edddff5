import { deliveryFactSql } from '../webhooks/facts.ts'

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
