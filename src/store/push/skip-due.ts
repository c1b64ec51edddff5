import { lastInstantOf } from '../../domain/push/schedule.ts'
import type { NotificationState } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import { cancelNotifications, END_FREE, type NotificationRefs } from './cancel.ts'
import { tallySql } from './tally-sql.ts'

/** The states that a notification passes through, in this order, until it is finished. */
export const OPEN_STATES = ['scheduled', 'queued', 'sending'] as const satisfies readonly NotificationState[]

export type DuePage = {
  readonly brandId: number
  readonly state: (typeof OPEN_STATES)[number]
  readonly afterId: string
  readonly now: number
  readonly limit: number
}

/**
 * Cancels a page of the notifications that are due by `now`, in one transaction, and gives the ids that it looked at.
 * A notification that goes by each subscriber's own clock continues in the zones whose time is still to come.
 */
export async function skipDue(tx: Db, page: DuePage): Promise<readonly string[]> {
  const { brandId, state, afterId, now, limit } = page
  const { rows } = await tx.query<{ id: string; wall: string | null }>(
    `select id, wall from notifications
     where brand_id = $1 and state = $2 and id > $3 and send_at <= $4 order by id limit $5 for update`,
    [brandId, state, afterId, new Date(now), limit],
  )
  const isOver = ({ wall }: { readonly wall: string | null }) => wall === null || lastInstantOf(wall) <= now
  const refsOf = (some: typeof rows) => ({ brandId, ids: some.map(({ id }) => id) })
  await cancelNotifications(tx, refsOf(rows.filter(isOver)))
  await skipZones(tx, refsOf(rows.filter((row) => !isOver(row))), now)
  return rows.map(({ id }) => id)
}

/** Counts the zones up to `now` as planned; the planner continues with the others. */
async function skipZones(tx: Db, { brandId, ids }: NotificationRefs, now: number): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `with ${END_FREE}, summed as (
       select brand_id, notification_id, sum(remaining) as remaining from gone group by 1, 2
     )
     ${tallySql('summed', { cancelled: 'remaining' })}`,
    [brandId, ids],
  )
  await tx.query(
    'update notifications set zones_until = greatest(zones_until, $3) where brand_id = $1 and id = any($2)',
    [brandId, ids, new Date(now)],
  )
}
