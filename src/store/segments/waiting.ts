import { OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import type { Db } from '../db.ts'

/**
 * Makes notifications and journeys of the brand due that wait because a segment needs too many old events: after a change of a filter they
 * may need fewer, also through a segment that refers to the changed one. Work that is under way at this moment is left alone.
 */
export async function hastenWaiting(tx: Db, brandId: number): Promise<void> {
  await tx.query(
    `update notifications set plan_at = clock_timestamp() where brand_id = $1 and id in (
       select id from notifications
       where brand_id = $1 and plan_at > clock_timestamp() and (mode <> 'send' or wall is not null) and reason = $2
       for update skip locked)`,
    [brandId, OLD_EVENTS_REASON],
  )
  await tx.query(
    `update journeys set scan_at = clock_timestamp() where brand_id = $1 and id in (
       select id from journeys
       where brand_id = $1 and state = 'active' and scan_at > clock_timestamp() and scan_reason = $2
       for update skip locked)`,
    [brandId, OLD_EVENTS_REASON],
  )
}
