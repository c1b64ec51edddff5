import { EVENT_LIMITS } from '../../rules/events.ts'
import type { Db } from '../db.ts'

export type EventIdClaim = {
  readonly brandId: number
  /** Distinct and sorted, so that claims of the same ids wait in the same order. */
  readonly eventIds: readonly string[]
  readonly now: number
}

/**
 * Claims callers' event ids and gives the free ones. A second claim of an id waits for the first to commit and then
 * finds it taken, in any process.
 */
export async function claimEventIds(tx: Db, claim: EventIdClaim): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ eventId: string }>(
    `insert into event_ids (brand_id, event_id, seen_at)
     select $1, event_id, $3 from unnest($2::text[]) as event_id
     on conflict (brand_id, event_id) do update set seen_at = excluded.seen_at
     where event_ids.seen_at <= $4
     returning event_id as "eventId"`,
    [claim.brandId, claim.eventIds, new Date(claim.now), expiry(claim.now)],
  )
  return new Set(rows.map(({ eventId }) => eventId))
}

function expiry(now: number): Date {
  return new Date(now - EVENT_LIMITS.eventIdDays * 86_400_000)
}
