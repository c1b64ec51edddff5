import { WEBHOOK_RULES } from '../../rules/webhooks.ts'
import type { Db } from '../db.ts'
import type { PurgeBounds } from '../purge-aged.ts'

const DAY_MS = 86_400_000

/** Delivered messages leave the log after a few days. */
export async function purgeDelivered(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  return purgeSettled(db, { state: 'delivered', before: now - WEBHOOK_RULES.deliveredDays * DAY_MS, rowsMax })
}

/** Failed messages, and messages that wait for a disabled endpoint, are kept longer, so that they can be sent again. */
export async function purgeUndelivered(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  const before = now - WEBHOOK_RULES.keptDays * DAY_MS
  const failed = await purgeSettled(db, { state: 'failed', before, rowsMax })
  const { count } = await db.query(
    `with old as (
       select m.brand_id, m.endpoint_id, m.id from webhook_endpoints as e cross join lateral (
         select brand_id, endpoint_id, id from webhook_messages
         where brand_id = e.brand_id and endpoint_id = e.id and state = 'waiting' and ready_at < $1
         order by ready_at limit $2
       ) as m
       where e.disabled_at is not null limit $2
     )
     ${DELETE_OLD}`,
    [new Date(before), rowsMax],
  )
  return failed + count
}

/** Deletes the messages of deleted endpoints. `turn` steps from endpoint to endpoint through the key. */
export async function purgeOrphans(db: Db, { rowsMax }: PurgeBounds): Promise<number> {
  const { count } = await db.query(
    `with recursive turn (brand_id, endpoint_id) as (
       (select brand_id, endpoint_id from webhook_messages order by brand_id, endpoint_id limit 1)
       union all
       select next.brand_id, next.endpoint_id from turn cross join lateral (
         select m.brand_id, m.endpoint_id from webhook_messages as m
         where (m.brand_id, m.endpoint_id) > (turn.brand_id, turn.endpoint_id)
         order by m.brand_id, m.endpoint_id limit 1
       ) as next
     ), old as (
       select m.brand_id, m.endpoint_id, m.id from turn cross join lateral (
         select brand_id, endpoint_id, id from webhook_messages as m
         where m.brand_id = turn.brand_id and m.endpoint_id = turn.endpoint_id limit $1
       ) as m
       where not exists (
         select from webhook_endpoints as e where e.brand_id = turn.brand_id and e.id = turn.endpoint_id)
       limit $1
     )
     ${DELETE_OLD}`,
    [rowsMax],
  )
  return count
}

const DELETE_OLD = `delete from webhook_messages as m using old
  where m.brand_id = old.brand_id and m.endpoint_id = old.endpoint_id and m.id = old.id`

type Settled = { readonly state: string; readonly before: number; readonly rowsMax: number }

async function purgeSettled(db: Db, { state, before, rowsMax }: Settled): Promise<number> {
  const { count } = await db.query(
    `with old as (
       select m.brand_id, m.endpoint_id, m.id from brands cross join lateral (
         select brand_id, endpoint_id, id from webhook_messages
         where brand_id = brands.id and state = $3 and state <> 'waiting' and settled_at < $1
         order by settled_at limit $2
       ) as m
       limit $2
     )
     ${DELETE_OLD}`,
    [new Date(before), rowsMax, state],
  )
  return count
}
