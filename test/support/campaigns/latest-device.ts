import type { Database } from '../../../src/store/db.ts'
import { acceptNotification } from '../push/notifications.ts'

/** Everybody, on the device that each person used last. */
export const LATEST_DEVICE = {
  kind: 'campaign',
  segmentId: null,
  filter: null,
  hasUserList: false,
  exceptCampaignId: null,
  isLatestOnly: true,
  audience: 0,
} as const

type LatestCampaign = {
  readonly brandId: number
  readonly campaignId: number
  /** The time on each subscriber's own clock. */
  readonly wall: string
}

/** The notification of a campaign to the device that each person used last, at a time of the person's own clock. */
export async function acceptLatest(
  database: Database,
  { brandId, campaignId, wall }: LatestCampaign,
): Promise<string> {
  const timing = { kind: 'subscriber', wall } as const
  const id = await acceptNotification(database, { brandId, target: LATEST_DEVICE, timing })
  await database.query('update notifications set campaign_id = $3 where brand_id = $1 and id = $2', [
    brandId,
    id,
    campaignId,
  ])
  return id
}
