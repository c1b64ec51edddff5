import type { Platform } from '../../rules/platforms.ts'
import type { ReceiptKind } from '../../rules/push.ts'
import type { SubscriptionState } from '../../rules/subscriptions.ts'
import { VIRTUAL_LIMITS, type VirtualKind } from '../../rules/virtual-devices.ts'
import type { Db } from '../db.ts'
import { userIdSql } from '../people/user-id-sql.ts'

/** A virtual device of a brand, with its address at the sandbox. */
export type VirtualDevice = {
  readonly id: bigint
  readonly subscriptionId: string
  readonly platform: Platform
  readonly address: string
  readonly kind: VirtualKind
  readonly name: string
  readonly profileId: bigint | null
  readonly userId: string | null
  readonly state: SubscriptionState
  readonly createdAt: number
}

/** All virtual devices of a brand, oldest first, or the one with a public id. */
export async function listVirtualDevices(
  db: Db,
  brandId: number,
  subscriptionId: string | null = null,
): Promise<readonly VirtualDevice[]> {
  const { rows } = await db.query<VirtualDevice>(
    `select s.id, s.subscription_id as "subscriptionId", s.platform, s.address, s.virtual_kind as kind,
       s.virtual_name as name, s.profile_id as "profileId", s.state, s.created_at as "createdAt",
       (${userIdSql('s.brand_id', 's.profile_id')}) as "userId"
     from subscriptions as s
     where s.brand_id = $1 and s.is_virtual and ($2::text is null or s.subscription_id = $2)
     order by s.id limit ${VIRTUAL_LIMITS.devicesMax}`,
    [brandId, subscriptionId],
  )
  return rows
}

/** A receipt that a virtual device has reported of a message. */
export type VirtualReceipt = {
  readonly notificationId: string
  readonly subscriptionId: bigint
  readonly kind: ReceiptKind
  readonly button: number | null
  readonly at: number
}

type ReceiptNames = Pick<VirtualReceipt, 'notificationId' | 'subscriptionId'>

/** The receipts of these messages. */
export async function loadVirtualReceipts(
  db: Db,
  brandId: number,
  messages: readonly ReceiptNames[],
): Promise<readonly VirtualReceipt[]> {
  if (messages.length === 0) return []
  const { rows } = await db.query<VirtualReceipt>(
    `select r.notification_id as "notificationId", r.subscription_id as "subscriptionId", r.kind, r.button, r.at
     from unnest($2::uuid[], $3::bigint[]) as asked (notification_id, subscription_id)
     join receipts as r on r.brand_id = $1 and r.notification_id = asked.notification_id
       and r.subscription_id = asked.subscription_id`,
    [
      brandId,
      messages.map(({ notificationId }) => notificationId),
      messages.map(({ subscriptionId }) => subscriptionId),
    ],
  )
  return rows
}
