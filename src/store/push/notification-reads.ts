import type { Platform } from '../../rules/platforms.ts'
import type {
  DeliveryState,
  NotificationSource,
  NotificationState,
  PushMode,
  ReceiptKind,
} from '../../rules/push.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { userIdSql } from '../people/user-id-sql.ts'
import { receiptCountsSql } from '../series/receipt-counts.ts'
import { type DeliveryFilter, deliveryPageSql } from './delivery-page-sql.ts'

/** A notification as its brand may read it, with the counts so far. */
export type NotificationReport = {
  readonly id: string
  readonly platform: Platform
  readonly mode: PushMode
  readonly callerNotificationId: bigint | null
  readonly state: NotificationState
  readonly reason: string | null
  readonly title: string
  readonly message: string
  readonly url: string | null
  readonly segmentId: bigint | null
  readonly tag: string | null
  readonly topic: string | null
  readonly templateId: bigint | null
  readonly templateVersion: number | null
  readonly sendAt: number
  readonly expiresAt: number
  readonly createdAt: number
  readonly finishedAt: number | null
  readonly audience: number | null
  readonly accepted: number
  readonly failed: number
  readonly expired: number
  readonly cancelled: number
  readonly pending: number
  readonly textsCut: number
  readonly source: NotificationSource
  readonly campaignId: bigint | null
  readonly isTest: boolean
  readonly journeyId: bigint | null
  /** The step of the journey. */
  readonly step: string | null
  /** The number of deliveries with a receipt, by kind; a kind that is absent has none. */
  readonly receipts: Partial<Record<ReceiptKind, number>>
}

export type NotificationRef = { readonly brandId: number; readonly id: string }

export async function loadNotification(
  db: Db,
  { brandId, id }: NotificationRef,
): Promise<NotificationReport | null> {
  const { rows } = await db.query<NotificationReport>(
    `select ${NOTIFICATION_COLUMNS} from notifications where brand_id = $1 and id = $2`,
    [brandId, id],
  )
  return rows[0] ?? null
}

/** The last instant that fits into the first 48 bits of a UUID of version 7. */
const TIME_MAX = 2 ** 48 - 1

/** The smallest UUID of version 7 that could be made at an instant. */
export function firstNotificationIdAt(at: number): string {
  const digits = Math.min(Math.max(0, Math.trunc(at)), TIME_MAX)
    .toString(16)
    .padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}

export type DeliveryReport = {
  readonly id: bigint
  /** Null when the subscription was erased since. */
  readonly subscriptionId: string | null
  /** The user id of the person who uses the device now, the first if there are several. */
  readonly userId: string | null
  readonly state: DeliveryState
  readonly reason: string | null
  readonly attempt: number
  readonly at: number
  /** Null when the notification is in one language only, or nothing was sent. */
  readonly language: string | null
  /** When the device reported the receipt that was asked for. */
  readonly reportedAt: number | null
}

export type DeliveryList = NotificationRef &
  DeliveryFilter & { readonly afterId: bigint; readonly limit: number }

/** The deliveries of a notification, in the order of subscriptions. */
export async function listDeliveries(db: Db, list: DeliveryList): Promise<readonly DeliveryReport[]> {
  const binds = new Binds()
  const page = {
    brand: binds.add(list.brandId),
    notification: binds.add(list.id),
    after: binds.add(list.afterId),
    limit: binds.add(list.limit),
  }
  const { rows } = await db.query<DeliveryReport>(
    `select d.subscription_id as id, s.subscription_id as "subscriptionId", ${USER_ID} as "userId",
       d.state, d.reason, d.attempt, d.at, d.language, d.reported_at as "reportedAt"
     from (${deliveryPageSql(list, page, binds)}) as d
     left join subscriptions as s on s.brand_id = d.brand_id and s.id = d.subscription_id
     order by d.subscription_id`,
    binds.values,
  )
  return rows
}

const USER_ID = `(${userIdSql('s.brand_id', 's.profile_id')})`

export type DeliveryReason = {
  readonly state: DeliveryState
  readonly reason: string | null
  readonly devices: number
}

/** How often each reason occurs among the first `rowsMax` deliveries that were not accepted, the most frequent first. */
export async function countDeliveryReasons(
  db: Db,
  {
    brandId,
    id,
    rowsMax,
    reasonsMax,
  }: NotificationRef & { readonly rowsMax: number; readonly reasonsMax: number },
): Promise<readonly DeliveryReason[]> {
  const { rows } = await db.query<DeliveryReason>(
    `select state, reason, count(*)::integer as devices from (
       select state, reason from deliveries where brand_id = $1 and notification_id = $2 and state <> 'accepted'
       order by subscription_id limit $3
     ) as d group by state, reason order by devices desc, state, reason limit $4`,
    [brandId, id, rowsMax, reasonsMax],
  )
  return rows
}

const SOURCE = `case when journey_id is not null then 'journey' when campaign_id is not null then 'campaign'
  else 'endpoint' end`

/** The columns of a report, of a table or subselect by the name of `notifications`. */
export const NOTIFICATION_COLUMNS = `id, platform, mode, caller_notification_id as "callerNotificationId", state, reason,
  content ->> 'title' as title, content ->> 'body' as message, content ->> 'url' as url,
  segment_id as "segmentId", tag, topic, template_id as "templateId", template_version as "templateVersion",
  send_at as "sendAt", expires_at as "expiresAt", created_at as "createdAt",
  finished_at as "finishedAt", audience, accepted, failed, expired, cancelled, pending, texts_cut as "textsCut",
  ${SOURCE} as source, campaign_id as "campaignId", is_test as "isTest", journey_id as "journeyId", step,
  (${receiptCountsSql('notifications.brand_id', 'notifications.id')}) as receipts`
