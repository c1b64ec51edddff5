import { lastInstantOf } from '../../domain/push/schedule.ts'
import type { NotificationState } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import { cancelNotifications, endFreeSql, type NotificationRefs } from './cancel.ts'
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
 * A notification that goes by each subscriber's own clock continues in the zones whose time is still to come, and one
 * that goes by each person's own hour continues with the hours to come.
 */
export async function skipDue(tx: Db, page: DuePage): Promise<readonly string[]> {
  const { brandId, state, afterId, now, limit } = page
  const { rows } = await tx.query<DueRow>(
    `select id, wall, best_hour_until as "bestHourUntil", is_latest_only as "isLatestOnly" from notifications
     where brand_id = $1 and state = $2 and id > $3 and send_at <= $4 order by id limit $5 for update`,
    [brandId, state, afterId, new Date(now), limit],
  )
  const isOver = (row: DueRow) => lastMomentOf(row) <= now
  const refsOf = (some: typeof rows) => ({ brandId, ids: some.map(({ id }) => id) })
  await cancelNotifications(tx, refsOf(rows.filter(isOver)))
  const going = rows.filter((row) => !isOver(row))
  // The chunks of a zone are cut when its time has come; those of hours to come, and of chosen devices, exist already.
  await skipParts(tx, { ...refsOf(going.filter(isCutLate)), ended: 'true' }, now)
  await skipParts(tx, { ...refsOf(going.filter((row) => !isCutLate(row))), ended: ENDED_HOURS }, now)
  return rows.map(({ id }) => id)
}

/** A chunk that is tried again was due before. */
const ENDED_HOURS = '(attempt > 1 or ready_at <= $3)'

type DueRow = {
  readonly id: string
  readonly wall: string | null
  readonly bestHourUntil: number | null
  readonly isLatestOnly: boolean
}

function isCutLate({ wall, isLatestOnly }: DueRow): boolean {
  return wall !== null && !isLatestOnly
}

/** When the last part of a notification is due, if it is due in parts. */
function lastMomentOf({ wall, bestHourUntil }: DueRow): number {
  if (bestHourUntil !== null) return bestHourUntil
  return wall === null ? Number.NEGATIVE_INFINITY : lastInstantOf(wall)
}

/** Counts the zones and hours up to `now` as planned; the planner, or the chunks, continue with the others. */
async function skipParts(
  tx: Db,
  { brandId, ids, ended }: NotificationRefs & { readonly ended: string },
  now: number,
): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `with ${endFreeSql(`($3::timestamptz is null or ${ended})`)}, summed as (
       select brand_id, notification_id, sum(remaining) as remaining from gone group by 1, 2
     )
     ${tallySql('summed', { cancelled: 'remaining' })}`,
    [brandId, ids, new Date(now)],
  )
  await tx.query(
    'update notifications set zones_until = greatest(zones_until, $3) where brand_id = $1 and id = any($2)',
    [brandId, ids, new Date(now)],
  )
}
