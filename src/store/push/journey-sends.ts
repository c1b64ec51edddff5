import type { Platform } from '../../rules/platforms.ts'
import type { NotificationState } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import { firstNotificationIdAt } from './notification-reads.ts'

/** The notifications of one step of a journey on one day, counted together. */
export type JourneySends = {
  readonly journeyId: bigint
  /** Null for notifications from before steps were stored. */
  readonly step: string | null
  /** A day in UTC, as YYYY-MM-DD. */
  readonly day: string
  readonly notifications: number
  readonly audience: number
  readonly accepted: number
  readonly failed: number
  readonly expired: number
  readonly cancelled: number
  readonly pending: number
}

export type JourneySendsQuery = {
  readonly brandId: number
  readonly from: number
  readonly to: number
  readonly state: NotificationState | null
  readonly platform: Platform | null
  readonly limit: number
}

/** One line for each day, journey and step, newest first, of the notifications that were accepted in a range of time. */
export async function foldJourneySends(db: Db, query: JourneySendsQuery): Promise<readonly JourneySends[]> {
  const { rows } = await db.query<JourneySends>(
    `select n.journey_id as "journeyId", n.step, to_char(n.created_at at time zone 'UTC', 'YYYY-MM-DD') as day,
       count(*)::integer as notifications, coalesce(sum(n.audience), 0)::integer as audience,
       sum(n.accepted)::integer as accepted, sum(n.failed)::integer as failed, sum(n.expired)::integer as expired,
       sum(n.cancelled)::integer as cancelled, sum(n.pending)::integer as pending
     from notifications as n
     where n.brand_id = $1 and n.journey_id is not null and n.id >= $2 and n.id < $3
       and ($4::text is null or n.state = $4) and ($5::text is null or n.platform = $5)
     group by 1, 2, 3 order by day desc, n.journey_id, n.step limit $6`,
    [
      query.brandId,
      firstNotificationIdAt(query.from),
      firstNotificationIdAt(query.to),
      query.state,
      query.platform,
      query.limit,
    ],
  )
  return rows
}
