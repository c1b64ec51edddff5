import type { CampaignState } from '../../rules/campaigns.ts'
import type { JourneyState } from '../../rules/journeys.ts'
import { LIVE_LIMITS } from '../../rules/live.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { NotificationState, ReceiptKind } from '../../rules/push.ts'
import { COUNTED } from '../campaigns/notifications.ts'
import type { Db } from '../db.ts'
import type { JourneyRef } from '../journeys/enrolments.ts'
import { receiptCountsSql } from '../series/receipt-counts.ts'

/** The counts of one notification at a moment. */
export type NotificationProgress = {
  readonly id: string
  readonly platform: Platform
  readonly state: NotificationState
  readonly reason: string | null
  readonly sendAt: number
  readonly finishedAt: number | null
  readonly audience: number | null
  readonly accepted: number
  readonly failed: number
  readonly expired: number
  readonly cancelled: number
  readonly pending: number
  readonly receipts: Partial<Record<ReceiptKind, number>>
}

type BrandRef = { readonly brandId: number }

export async function loadNotificationProgress(
  tx: Db,
  { brandId, id }: BrandRef & { readonly id: string },
): Promise<NotificationProgress | null> {
  const { rows } = await tx.query<NotificationProgress>(
    `select ${COLUMNS} from notifications as n where n.brand_id = $1 and n.id = $2`,
    [brandId, id],
  )
  return rows[0] ?? null
}

export type CampaignProgress = {
  readonly state: CampaignState
  readonly reason: string | null
  readonly sendAt: number | null
  readonly finishedAt: number | null
  readonly people: number | null
  readonly peopleReached: number | null
  readonly parts: readonly NotificationProgress[]
}

/** A campaign and its notifications, without test sends and without those that a change has replaced. */
export async function loadCampaignProgress(
  tx: Db,
  { brandId, id }: BrandRef & { readonly id: bigint },
): Promise<CampaignProgress | null> {
  const { rows } = await tx.query<Omit<CampaignProgress, 'parts'>>(
    `select state, reason, send_at as "sendAt", finished_at as "finishedAt", people, people_reached as "peopleReached"
     from campaigns where brand_id = $1 and id = $2`,
    [brandId, id],
  )
  const [campaign] = rows
  if (campaign === undefined) return null
  const { rows: parts } = await tx.query<NotificationProgress>(
    `select ${COLUMNS} from notifications as n where n.brand_id = $1 and n.campaign_id = $2 and ${COUNTED}
     order by n.id`,
    [brandId, id],
  )
  return { ...campaign, parts }
}

/** How many deliveries of the notifications are in a state that is not `accepted`, by reason. */
export type DeliveryErrors = {
  readonly rows: readonly { readonly state: string; readonly reason: string | null; readonly count: number }[]
  /** Whether there are more deliveries than were counted. */
  readonly isCapped: boolean
}

/** Counts a bounded number of deliveries, because a look must stay short when a million fail. */
export async function loadDeliveryErrors(
  tx: Db,
  { brandId, ids }: BrandRef & { readonly ids: readonly string[] },
): Promise<DeliveryErrors> {
  const { rows } = await tx.query<{ state: string; reason: string | null; count: number }>(
    `select state, reason, count(*)::integer as count from (
       select state, reason from deliveries
       where brand_id = $1 and notification_id = any($2::uuid[]) and state <> 'accepted' limit $3
     ) as troubled group by state, reason order by count desc, state, reason`,
    [brandId, ids, LIVE_LIMITS.errorRowsMax],
  )
  const counted = rows.reduce((sum, { count }) => sum + count, 0)
  return {
    rows: rows.slice(0, LIVE_LIMITS.errorReasonsMax),
    isCapped: counted >= LIVE_LIMITS.errorRowsMax || rows.length > LIVE_LIMITS.errorReasonsMax,
  }
}

/** The state of a journey; null when there is none. */
export async function loadJourneyState(
  tx: Db,
  { brandId, journeyId }: JourneyRef,
): Promise<{ readonly state: JourneyState; readonly version: number } | null> {
  const { rows } = await tx.query<{ state: JourneyState; version: number }>(
    'select state, version from journeys where brand_id = $1 and id = $2',
    [brandId, journeyId],
  )
  return rows[0] ?? null
}

const COLUMNS = `n.id, n.platform, n.state, n.reason, n.send_at as "sendAt", n.finished_at as "finishedAt", n.audience,
  n.accepted, n.failed, n.expired, n.cancelled, n.pending,
  (${receiptCountsSql('n.brand_id', 'n.id')}) as receipts`
