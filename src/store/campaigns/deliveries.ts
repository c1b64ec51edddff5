import type { Platform } from '../../rules/platforms.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { userIdSql } from '../people/user-id-sql.ts'
import { LOOK_UP_ROWS } from '../plans.ts'
import { type DeliveryFilter, deliveryPageSql } from '../push/delivery-page-sql.ts'
import { acceptedSql } from '../push/delivery-sql.ts'
import type { DeliveryReport } from '../push/notification-reads.ts'
import type { CampaignRef } from './campaigns.ts'
import { COUNTED } from './notifications.ts'

/** The place of a delivery in the list: its device, and its notification. */
export type DeliveryMark = { readonly id: bigint; readonly notificationId: string }

/** A delivery of a campaign; in a list of people, `isFirst` marks one delivery of each person. */
export type CampaignDelivery = DeliveryReport &
  DeliveryMark & { readonly platform: Platform; readonly isFirst: boolean }

export type CampaignDeliveryList = CampaignRef &
  DeliveryFilter & {
    readonly per: 'device' | 'person'
    readonly after: DeliveryMark | null
    readonly limit: number
  }

/**
 * The deliveries of all notifications of a campaign, in the order of subscriptions. Each of the few notifications gives
 * its own next deliveries, of which the first are taken. One page reads the delivery of the mark again. Run it in a
 * transaction.
 */
export async function listCampaignDeliveries(
  tx: Db,
  list: CampaignDeliveryList,
): Promise<readonly CampaignDelivery[]> {
  const { brandId, campaignId, per, after, limit } = list
  const binds = new Binds()
  const brand = binds.add(brandId)
  const campaign = binds.add(campaignId)
  const ofCampaign = `n.brand_id = ${brand} and n.campaign_id = ${campaign} and ${COUNTED}`
  const place = { after: binds.add((after?.id ?? 0n) - 1n), limit: binds.add(limit + 1) }
  const page = deliveryPageSql(list, { brand, notification: 'n.id', ...place }, binds)
  const isAfter =
    after === null
      ? 'true'
      : `(d.subscription_id, n.id) > (${binds.add(after.id)}::bigint, ${binds.add(after.notificationId)}::uuid)`
  await tx.query(LOOK_UP_ROWS)
  const { rows } = await tx.query<CampaignDelivery>(
    `select d.subscription_id as id, d.notification_id as "notificationId", d.platform,
       s.subscription_id as "subscriptionId", (${userIdSql('s.brand_id', 's.profile_id')}) as "userId",
       d.state, d.reason, d.attempt, d.at, d.language, d.reported_at as "reportedAt",
       ${per === 'person' ? isFirstSql({ brand, ofCampaign }) : 'true'} as "isFirst"
     from (
       select n.id as notification_id, n.platform, d.* from notifications as n cross join lateral (${page}) as d
       where ${ofCampaign} and ${isAfter} order by d.subscription_id, n.id limit ${binds.add(limit)}
     ) as d
     left join lateral (
       select * from subscriptions where brand_id = ${brand} and id = d.subscription_id offset 0
     ) as s on true
     order by d.subscription_id, d.notification_id`,
    binds.values,
  )
  return rows
}

/**
 * Whether no earlier device of the person has an accepted message. A device gets a campaign once. Only the person's first device
 * in the page is compared with all the others that they have, because one person may have very many.
 */
function isFirstSql({ brand, ofCampaign }: { readonly brand: string; readonly ofCampaign: string }): string {
  const got = acceptedSql({ brand, notification: 'n.id', subscription: 'o.id' })
  return `row_number() over (partition by coalesce(s.profile_id, -d.subscription_id)
      order by d.subscription_id, d.notification_id) = 1
    and not exists (select from subscriptions as o
      cross join lateral (
        select from notifications as n cross join lateral (${got}) as got where ${ofCampaign} offset 0
      ) as had
      where o.brand_id = ${brand} and o.profile_id = s.profile_id and o.id < s.id)`
}
