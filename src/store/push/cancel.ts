import type { NotificationState } from '../../rules/notification-states.ts'
import type { Db } from '../db.ts'
import { closeSql } from './delivery-ends.ts'
import type { NotificationRef } from './notification-reads.ts'

/** The state of a notification, held until the transaction ends; null when there is none. */
export async function lockNotification(
  tx: Db,
  { brandId, id }: NotificationRef,
): Promise<NotificationState | null> {
  const { rows } = await tx.query<{ state: NotificationState }>(
    'select state from notifications where brand_id = $1 and id = $2 for update',
    [brandId, id],
  )
  return rows[0]?.state ?? null
}

/**
 * Cancels a notification that is locked. What no worker holds ends here; what one holds stays pending until the
 * worker, who is told at its next settle, gives it up. A chunk that is being settled at this moment is skipped
 * rather than waited for: its worker waits for the lock on the notification. Doing it again ends what a worker gave
 * back since.
 */
export async function cancelNotification(tx: Db, { brandId, id }: NotificationRef): Promise<void> {
  await tx.query(
    `with free as (
       select brand_id, id from chunks
       where brand_id = $1 and notification_id = $2 and (leased_by is null or ready_at <= clock_timestamp())
       for update skip locked
     ), gone as (
       delete from chunks using free where chunks.brand_id = free.brand_id and chunks.id = free.id
       returning chunks.brand_id, chunks.id, notification_id, subscription_ids
     ), ${closeSql(`'cancelled'`, `'cancelled'`)}, kept as (
       select coalesce(sum(remaining), 0)::integer as remaining from chunks
       where brand_id = $1 and notification_id = $2 and id not in (select id from gone)
     )
     update notifications set state = 'cancelled', plan_at = null, cancelled = cancelled + pending - kept.remaining,
       pending = kept.remaining, finished_at = case when kept.remaining = 0 then coalesce(finished_at, clock_timestamp()) end
     from kept where brand_id = $1 and notifications.id = $2 and state not in ('sent', 'failed')`,
    [brandId, id],
  )
}
