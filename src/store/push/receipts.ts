import type { ReceiptKind } from '../../rules/push.ts'
import { RECOUNT_AGAIN } from '../campaigns/goal-recounts.ts'
import type { Db } from '../db.ts'
import { receiptSeriesSql } from '../series/changes.ts'
import { receiptCountsSql } from '../series/receipt-counts.ts'
import { deliveryFactSql } from '../webhooks/facts.ts'
import type { NotificationRef } from './notification-reads.ts'

export type ReceiptRow = {
  readonly notificationId: string
  readonly subscriptionId: bigint
  readonly kind: ReceiptKind
  /** The number of the button, 1 or 2, for a tap on one. */
  readonly button: number | null
}

export type ReceiptBatch = {
  readonly brandId: number
  readonly receipts: readonly ReceiptRow[]
  readonly now: number
}

/**
 * Stores receipts of devices, each kind once for a delivery, and gives the number of new ones. The first click of a
 * person on a campaign is noted with the person, and their goals are counted again if they count from the click: a goal
 * event of the same second may have been read before. A device without a person may be a bit, which becomes a row with the
 * click before other rows are locked (decision 0038). A receipt for a deleted notification, or from a device of an erased
 * person, is not stored, because nothing would ever delete it.
 */
export async function saveReceipts(tx: Db, { brandId, receipts, now }: ReceiptBatch): Promise<number> {
  const { rows } = await tx.query<{ kept: number }>(
    `with kept as (
     insert into receipts (brand_id, notification_id, subscription_id, kind, button, at)
     select $1, notification_id, subscription_id, kind, button, $6
     from unnest($2::uuid[], $3::bigint[], $4::text[], $5::integer[])
       as given (notification_id, subscription_id, kind, button)
     where exists (select from notifications as n where n.brand_id = $1 and n.id = given.notification_id)
       and exists (select from subscriptions as s where s.brand_id = $1 and s.id = given.subscription_id)
     on conflict (brand_id, notification_id, subscription_id, kind) do nothing
     returning brand_id, notification_id, subscription_id, kind, button
     ), clicker as materialized (
       select distinct n.campaign_id, unnest(array[s.profile_id, -s.id]) as person
       from kept
       join notifications as n on n.brand_id = $1 and n.id = kept.notification_id and n.trial is not null
       join subscriptions as s on s.brand_id = $1 and s.id = kept.subscription_id
       where kept.kind in ('clicked', 'button')
     ), recounted as (
       insert into goal_recounts (brand_id, profile_id)
       select distinct $1::integer, clicker.person from clicker
       join campaigns as c on c.brand_id = $1 and c.id = clicker.campaign_id and c.document -> 'goal' ->> 'from' = 'click'
       where clicker.person > 0 order by clicker.person ${RECOUNT_AGAIN}
     ), unpacked as materialized (
       select unpack_campaign_devices($1, array_agg(-person), array_agg(campaign_id), $6)
       from clicker where person < 0 having count(*) > 0
     ), clicked as materialized (
       select p.brand_id, p.campaign_id, p.profile_id from clicker
       join campaign_people as p
         on p.brand_id = $1 and p.campaign_id = clicker.campaign_id and p.profile_id = clicker.person
       where p.clicked_at is null and (select count(*) from unpacked) >= 0
       order by p.campaign_id, p.profile_id for update of p
     ), noted as (
       update campaign_people as p set clicked_at = $6 from clicked
       where p.brand_id = clicked.brand_id and p.campaign_id = clicked.campaign_id and p.profile_id = clicked.profile_id
     ), enqueued as (
       ${deliveryFactSql({ from: 'kept', type: RECEIPT_TYPE }, { button: 'fact.button' })}
     ), added_up as (
       ${receiptSeriesSql('kept', '$6')}
     )
     select count(*)::integer as kept, (select count(*) from unpacked) from kept`,
    [
      brandId,
      receipts.map(({ notificationId }) => notificationId),
      receipts.map(({ subscriptionId }) => subscriptionId),
      receipts.map(({ kind }) => kind),
      receipts.map(({ button }) => button),
      new Date(now),
    ],
  )
  return rows[0]?.kept ?? 0
}

/** A tap on a button is a click too. A device reports both; then only the receipt with the number is passed on. */
const RECEIPT_TYPE = `case when fact.kind = 'button' then 'delivery.clicked'
  when fact.kind = 'clicked' and exists (select from kept where kept.notification_id = fact.notification_id
    and kept.subscription_id = fact.subscription_id and kept.kind = 'button') then null
  else 'delivery.' || fact.kind end`

/** The number of deliveries with a receipt, by kind; null when there is no such notification. */
export async function countReceipts(
  tx: Db,
  { brandId, id }: NotificationRef,
): Promise<Partial<Record<ReceiptKind, number>> | null> {
  const { rows } = await tx.query<{ counts: Partial<Record<ReceiptKind, number>> }>(
    `select (${receiptCountsSql('n.brand_id', 'n.id')}) as counts from notifications as n
     where n.brand_id = $1 and n.id = $2`,
    [brandId, id],
  )
  return rows[0]?.counts ?? null
}
