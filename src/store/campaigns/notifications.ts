import { CAMPAIGN_REPLACED } from '../../rules/campaigns.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { NotificationState } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import { cancelNotifications } from '../push/cancel.ts'
import { receiptCountsSql } from '../series/receipt-counts.ts'
import type { CampaignRef } from './campaigns.ts'

/** One notification of a campaign, with its counts so far. */
export type CampaignNotification = {
  readonly campaignId: bigint
  readonly id: string
  readonly platform: Platform
  readonly state: NotificationState
  readonly reason: string | null
  readonly audience: number | null
  readonly accepted: number
  readonly failed: number
  readonly expired: number
  readonly cancelled: number
  readonly pending: number
  /** The deliveries with a click. */
  readonly clicked: number
}

/** The notifications of campaigns, without test sends and without those that a change has replaced. */
export async function loadCampaignNotifications(
  db: Db,
  brandId: number,
  campaignIds: readonly bigint[],
): Promise<readonly CampaignNotification[]> {
  const { rows } = await db.query<CampaignNotification>(
    `select ${COLUMNS} from notifications as n where n.brand_id = $1 and n.campaign_id = any($2) and ${COUNTED}
     order by n.campaign_id, n.id`,
    [brandId, campaignIds],
  )
  return rows
}

/** The same of one campaign, locked until the transaction ends. The campaign was locked before. */
export async function lockCampaignNotifications(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
): Promise<readonly CampaignNotification[]> {
  const { rows } = await tx.query<CampaignNotification>(
    `select ${COLUMNS} from notifications as n where n.brand_id = $1 and n.campaign_id = $2 and ${COUNTED}
     order by n.id for update`,
    [brandId, campaignId],
  )
  return rows
}

/** Cancels locked notifications that a change of their campaign replaces. None of them was planned yet. */
export async function replaceNotifications(tx: Db, brandId: number, ids: readonly string[]): Promise<void> {
  await cancelNotifications(tx, { brandId, ids })
  await tx.query('update notifications set reason = $3 where brand_id = $1 and id = any($2)', [
    brandId,
    ids,
    CAMPAIGN_REPLACED,
  ])
}

/** A condition on `n`. */
export const COUNTED = `not n.is_test and n.reason is distinct from '${CAMPAIGN_REPLACED}'`

const COLUMNS = `n.campaign_id as "campaignId", n.id, n.platform, n.state, n.reason, n.audience, n.accepted, n.failed,
  n.expired, n.cancelled, n.pending,
  coalesce(((${receiptCountsSql('n.brand_id', 'n.id')}) ->> 'clicked')::integer, 0) as clicked`
