import { EVENT_LIMITS } from '../../rules/events.ts'
import type { Db } from '../db.ts'

/** A caller's event id. `source` keeps the ids of each browser apart from those of the brand's own servers. */
export type SourcedEventId = { readonly source: string; readonly eventId: string }

export type EventIdClaim = {
  readonly brandId: number
  /** No two are equal. */
  readonly ids: readonly SourcedEventId[]
  readonly now: number
}

/**
 * Claims callers' event ids and gives the free ones. A second claim of an id waits for the first to commit and then
 * finds it taken, in any process.
 */
export async function claimEventIds(tx: Db, claim: EventIdClaim): Promise<readonly SourcedEventId[]> {
  const ids = claim.ids.toSorted(inOneOrder)
  const { rows } = await tx.query<SourcedEventId>(
    `insert into event_ids (brand_id, source, event_id, seen_at)
     select $1, source, event_id, $4 from unnest($2::text[], $3::text[]) as given (source, event_id)
     on conflict (brand_id, source, event_id) do update set seen_at = excluded.seen_at
     where event_ids.seen_at <= $5
     returning source, event_id as "eventId"`,
    [
      claim.brandId,
      ids.map(({ source }) => source),
      ids.map(({ eventId }) => eventId),
      new Date(claim.now),
      expiry(claim.now),
    ],
  )
  return rows
}

/** Claims of the same ids wait in the same order, so that two of them never wait for each other. */
function inOneOrder(a: SourcedEventId, b: SourcedEventId): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1
  if (a.eventId === b.eventId) return 0
  return a.eventId < b.eventId ? -1 : 1
}

function expiry(now: number): Date {
  return new Date(now - EVENT_LIMITS.eventIdDays * 86_400_000)
}
