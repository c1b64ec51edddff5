import { OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import type { Db } from '../db.ts'

/**
 * Makes notifications and journeys of the brand due that wait because a segment needs too many old events: after a change of a filter they
 * may need fewer, also through a segment that refers to the changed one. Each may bring many events, so they come one by one, a minute
 * apart.
 *
 * Work that is under way goes on with the old filter, and is left alone: its row is locked, or its plan has a lease, which ends within a
 * minute. If such work is refused, it waits again, as if the filter had not been changed.
 */
export async function hastenWaiting(tx: Db, brandId: number): Promise<void> {
  await tx.query(
    `with waiting as materialized (
       select id, plan_at from notifications
       where brand_id = $1 and plan_at > clock_timestamp() + interval '1 minute' and (mode <> 'send' or wall is not null)
         and reason = $2 for update skip locked
     ), spread as (
       select id, row_number() over (order by plan_at, id) - 1 as place from waiting
     )
     update notifications as n set plan_at = least(plan_at, clock_timestamp() + place * interval '1 minute')
     from spread where n.brand_id = $1 and n.id = spread.id`,
    [brandId, OLD_EVENTS_REASON],
  )
  await tx.query(
    `with waiting as materialized (
       select id, scan_at from journeys
       where brand_id = $1 and state = 'active' and scan_at > clock_timestamp() and scan_reason = $2
       for update skip locked
     ), spread as (
       select id, row_number() over (order by scan_at, id) - 1 as place from waiting
     )
     update journeys as j set scan_at = least(scan_at, clock_timestamp() + place * interval '1 minute')
     from spread where j.brand_id = $1 and j.id = spread.id`,
    [brandId, OLD_EVENTS_REASON],
  )
}
