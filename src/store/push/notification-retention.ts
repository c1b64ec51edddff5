import type { Db } from '../db.ts'
import { firstNotificationIdAt } from './notification-reads.ts'

export type NotificationRetention = {
  /** Notifications that finished before this instant are deleted. */
  readonly before: number
  readonly rowsMax: number
}

/**
 * Deletes finished notifications, oldest first, with their rows in other tables: at most `rowsMax` of each kind, so a
 * broadcast to a million takes many rounds. A notification is deleted in the round that finds no other row about it.
 * The search goes by id, which begins with the time of acceptance; notifications that were accepted early and finished
 * late are passed over, and are rare. The figures of campaigns stay: the triggers that would change them run at the
 * end of the statement, after the setting.
 */
export async function purgeNotifications(
  db: Db,
  { before, rowsMax }: NotificationRetention,
): Promise<number> {
  const { rows } = await db.query<{ removed: number }>(PURGE, [
    firstNotificationIdAt(before),
    new Date(before),
    rowsMax,
  ])
  return rows[0]?.removed ?? 0
}

const PURGE = `with old as materialized (
    select found.* from brands cross join lateral (
      select brand_id, id from notifications
      where brand_id = brands.id and id < $1 and finished_at < $2 and pending = 0
      order by id limit $3 for update skip locked
    ) as found
    limit $3
  ), receipts_gone as (
    delete from receipts as r using (
      select listed.* from old cross join lateral (
        select brand_id, notification_id, subscription_id, kind from receipts
        where brand_id = old.brand_id and notification_id = old.id limit $3
      ) as listed
      limit $3
    ) as part
    where r.brand_id = part.brand_id and r.notification_id = part.notification_id
      and r.subscription_id = part.subscription_id and r.kind = part.kind
    returning 1
  ), tried as (
    delete from deliveries as d using (
      select listed.* from old cross join lateral (
        select brand_id, notification_id, subscription_id from deliveries
        where brand_id = old.brand_id and notification_id = old.id limit $3
      ) as listed
      limit $3
    ) as part
    where d.brand_id = part.brand_id and d.notification_id = part.notification_id
      and d.subscription_id = part.subscription_id
    returning 1
  ), unpacked as (
    delete from accepted_blocks as b using (
      select listed.* from old cross join lateral (
        select brand_id, notification_id, block, first_place from accepted_blocks
        where brand_id = old.brand_id and notification_id = old.id limit $3
      ) as listed
      limit $3
    ) as part
    where b.brand_id = part.brand_id and b.notification_id = part.notification_id
      and b.block = part.block and b.first_place = part.first_place
    returning 1
  ), counts_gone as (
    delete from receipt_counts as c using old
    where c.brand_id = old.brand_id and c.notification_id = old.id
      and not exists (select from receipts as r where r.brand_id = old.brand_id and r.notification_id = old.id)
  ), gone as (
    delete from notifications as n using old
    where n.brand_id = old.brand_id and n.id = old.id
      and not exists (select from receipts as r where r.brand_id = old.brand_id and r.notification_id = old.id)
      and not exists (select from deliveries as d where d.brand_id = old.brand_id and d.notification_id = old.id)
      and not exists (select from accepted_blocks as b where b.brand_id = old.brand_id and b.notification_id = old.id)
    returning 1
  )
  select ((select count(*) from receipts_gone) + (select count(*) from tried) + (select count(*) from unpacked)
    + (select count(*) from gone))::integer as removed
  from (select set_config('beckon.keeps_results', 'on', true)) as setting`
