import { OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import type { NotificationState } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import { closeSql } from './delivery-ends.ts'
import type { NotificationRef } from './notification-reads.ts'

/** The state of a notification, locked until the transaction ends; null when there is none. */
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

export async function cancelNotification(tx: Db, { brandId, id }: NotificationRef): Promise<void> {
  await cancelNotifications(tx, { brandId, ids: [id] })
}

export type NotificationRefs = { readonly brandId: number; readonly ids: readonly string[] }

/**
 * Cancels notifications that are locked. Chunks that no worker has claimed end here; a claimed chunk stays pending
 * until its worker learns of it at the next settlement and ends it. A chunk that is being settled at this moment is
 * skipped and not waited for, because its worker waits for the lock of the notification. A second call ends chunks
 * that workers have given back since.
 */
export async function cancelNotifications(tx: Db, { brandId, ids }: NotificationRefs): Promise<void> {
  await tx.query(
    `with ${END_FREE}, kept as (
       select notification_id, sum(remaining)::integer as remaining from chunks
       where brand_id = $1 and notification_id = any($2) and id not in (select id from gone)
       group by notification_id
     ), asked as (
       select asked.id, coalesce(kept.remaining, 0) as remaining
       from unnest($2::uuid[]) as asked (id) left join kept on kept.notification_id = asked.id
     )
     update notifications as n set state = 'cancelled', plan_at = null, reason = nullif(n.reason, '${OLD_EVENTS_REASON}'),
       cancelled = n.cancelled + n.pending - asked.remaining, pending = asked.remaining,
       finished_at = case when asked.remaining = 0 then coalesce(n.finished_at, clock_timestamp()) end
     from asked where n.brand_id = $1 and n.id = asked.id and n.state not in ('sent', 'failed')`,
    [brandId, ids],
  )
}

/**
 * Deletes the chunks of these notifications that no worker has claimed, and closes deliveries that wait for a retry.
 */
export const END_FREE = endFreeSql('true')

/** The same for those of their chunks that meet a condition. */
export function endFreeSql(condition: string): string {
  return `free as (
    select brand_id, id from chunks
    where brand_id = $1 and notification_id = any($2) and (leased_until is null or leased_until <= clock_timestamp())
      and ${condition}
    for update skip locked
  ), gone as (
    delete from chunks using free where chunks.brand_id = free.brand_id and chunks.id = free.id
    returning chunks.brand_id, chunks.id, notification_id, subscription_ids, remaining
  ), ${closeSql(`'cancelled'`, `'cancelled'`)}`
}
