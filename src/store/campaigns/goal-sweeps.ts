import { EVENT_LIMITS } from '../../rules/events.ts'
import { writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { anyEvents, needing } from '../event-needs.ts'

/** A campaign that is sent, whose goal is to be counted once more. */
export type GoalSweep = {
  readonly brandId: number
  readonly campaignId: bigint
  readonly event: string
  readonly sendAt: number
  /** The last event that was looked at; 0 before the first. */
  readonly sweptId: bigint
}

/**
 * Campaigns whose last delivery is settled. An event that came between a delivery and its settlement was read before
 * the delivery was there to be found, so the events of the time of sending are looked at once more.
 */
export async function findGoalSweeps(db: Db, limit: number): Promise<readonly GoalSweep[]> {
  const { rows } = await db.query<GoalSweep>(
    `select brand_id as "brandId", id as "campaignId", goal_event as event, send_at as "sendAt",
       goal_swept_id as "sweptId"
     from campaigns
     where goal_event is not null and finished_at is not null and goal_until is null and send_at is not null
     order by finished_at limit $1`,
    [limit],
  )
  return rows
}

/** The people who did the goal while the campaign was sent, a page of events at a time, and the last event of the page. */
export async function loadSweptPeople(
  tx: Db,
  { brandId, event, sendAt, sweptId }: GoalSweep,
  rowsMax: number,
): Promise<{ readonly profileIds: readonly bigint[]; readonly lastId: bigint | null }> {
  const { rows } = await tx.query<{ id: bigint; profileId: bigint }>(
    `select id, profile_id as "profileId" from events
     where brand_id = $1 and id > greatest($2::bigint, $3) and event_name = $4 and event_at >= $5
     order by id limit $6`,
    needing(
      [brandId, sweptId, firstIdAt(sendAt), event, new Date(Math.floor(sendAt / 1_000) * 1_000), rowsMax],
      {
        ...anyEvents(brandId),
        names: [event],
        since: writtenInstant(Math.floor(sendAt / 1_000) * 1_000),
        pick: { kind: 'next', limit: rowsMax, afterId: sweptId },
        isBare: true,
      },
    ),
  )
  return {
    profileIds: [...new Set(rows.map(({ profileId }) => profileId))],
    lastId: rows.length < rowsMax ? null : (rows.at(-1)?.id ?? null),
  }
}

/** Remembers how far a sweep came; after the last page the time of the goal begins to run out. */
export async function saveGoalSweep(
  tx: Db,
  { brandId, campaignId }: GoalSweep,
  lastId: bigint | null,
): Promise<void> {
  await tx.query(
    `update campaigns set goal_swept_id = coalesce($3, goal_swept_id),
       goal_until = case when $3::bigint is null
         then finished_at + (document -> 'goal' ->> 'within_days')::integer * interval '1 day' end
     where brand_id = $1 and id = $2`,
    [brandId, campaignId, lastId],
  )
}

/** An event's id begins with the moment of receipt, in milliseconds. An event may be stored a day before it happens. */
function firstIdAt(at: number): bigint {
  return BigInt(Math.max(0, Math.floor(at - EVENT_LIMITS.futureMsMax))) << 21n
}
