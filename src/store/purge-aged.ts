import { EVENT_LIMITS } from '../rules/events.ts'
import { LIMITS } from '../rules/limits.ts'
import type { Db } from './db.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Tables whose rows are kept for a time after an instant in the row. `key` finds a row within its brand; further rows
 * that it finds are deleted with it if they are as old.
 */
const AGED = [
  { table: 'event_ids', key: 'event_id', since: 'seen_at', keptMs: EVENT_LIMITS.eventIdDays * DAY_MS },
  { table: 'rejected_entries', key: 'id', since: 'rejected_at', keptMs: EVENT_LIMITS.rejectedDays * DAY_MS },
  { table: 'idempotency_keys', key: 'key', since: 'created_at', keptMs: LIMITS.idempotencyHours * HOUR_MS },
] as const

/** A purge takes the time and the most rows it may delete, so that it never locks rows for long. */
export type PurgeBounds = { readonly now: number; readonly rowsMax: number }

/** Deletes the oldest rows of each table, brand by brand, because the index that finds them begins with the brand. */
export async function purgeAged(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  let removed = 0
  for (const { table, key, since, keptMs } of AGED) {
    // A row may be renewed while the delete waits for its lock, so the age is checked again.
    const { count } = await db.query(
      `with old as (
         select stale.* from brands
         cross join lateral (
           select brand_id, ${key} from ${table}
           where brand_id = brands.id and ${since} <= $1
           order by ${since} limit $2
         ) as stale
         limit $2
       )
       delete from ${table} as t using old
       where t.brand_id = old.brand_id and t.${key} = old.${key} and t.${since} <= $1`,
      [new Date(now - keptMs), rowsMax],
    )
    removed += count
  }
  return removed
}
