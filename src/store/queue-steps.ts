/**
 * Parts of `with recursive` that step through an index from one owner of queued work to the next, so that a look at a
 * queue takes a probe for each owner and not for each row.
 */

/** The steps from channel to channel, as in `claim_chunks`. */
export const CHANNEL_STEPS = `channel (brand_id, platform) as (
    (select c.brand_id, c.platform from chunks as c order by c.brand_id, c.platform limit 1)
    union all
    select next.brand_id, next.platform from channel cross join lateral (
      select c.brand_id, c.platform from chunks as c
      where (c.brand_id, c.platform) > (channel.brand_id, channel.platform) order by c.brand_id, c.platform limit 1
    ) as next
  )`

/** The steps from endpoint to endpoint, as in `claim_webhooks`. */
export const ENDPOINT_STEPS = `waiting_endpoint (brand_id, endpoint_id) as (
    (select m.brand_id, m.endpoint_id from webhook_messages as m where m.state = 'waiting'
     order by m.brand_id, m.endpoint_id limit 1)
    union all
    select next.brand_id, next.endpoint_id from waiting_endpoint as turn cross join lateral (
      select m.brand_id, m.endpoint_id from webhook_messages as m
      where m.state = 'waiting' and (m.brand_id, m.endpoint_id) > (turn.brand_id, turn.endpoint_id)
      order by m.brand_id, m.endpoint_id limit 1
    ) as next
  )`
