import type { Db } from '../../../src/store/db.ts'

/** Locks all attributes of a brand's events that were stored without intake, so that they get columns in event files. */
export async function lockAttributes(db: Db, brandId: number): Promise<void> {
  await db.query(
    `insert into attribute_locks (brand_id, event_name, attribute, type, locked_at, last_seen_at, shown_count)
     select distinct $1::integer, event_name, key, 'string', now(), now(), 1
     from events cross join lateral jsonb_object_keys(attributes) as key where brand_id = $1 on conflict do nothing`,
    [brandId],
  )
}
