import type { Database } from '../../../src/store/db.ts'
import { deviceOf } from './bodies.ts'
import type { Ledger } from './ledger.ts'

/**
 * Acknowledged merges after which the user id and the address are not one profile that is there and has the events of
 * both.
 */
export async function findUnmerged(
  database: Database,
  brandId: number,
  { merged }: Pick<Ledger, 'merged'>,
): Promise<readonly string[]> {
  const { rows } = await database.query<{ line: string }>(
    `select 'merge of ' || made."userId" as line
     from jsonb_to_recordset($2::jsonb) as made ("userId" text, email text, marks jsonb)
     left join profile_identities as u on u.brand_id = $1 and u.kind = 'user_id' and u.value = made."userId"
     left join profile_identities as e on e.brand_id = $1 and e.kind = 'email' and e.value = made.email
     left join profiles as p on p.brand_id = $1 and p.id = u.profile_id
     where p.id is null or p.id is distinct from e.profile_id
       or (select count(*) from events where events.brand_id = $1 and events.profile_id = p.id
         and made.marks ? (attributes ->> 'mark')) <> jsonb_array_length(made.marks)`,
    [brandId, JSON.stringify(merged)],
  )
  return rows.map(({ line }) => line)
}

/** The rows that are left of people whose erasure was acknowledged, by name, and rows of profiles that are not there. */
export async function findTraces(
  database: Database,
  brandId: number,
  { erased }: Pick<Ledger, 'erased'>,
): Promise<readonly string[]> {
  const orphans = PEOPLE_TABLES.map(
    (table) =>
      `select '${table} of nobody: ' || profile_id as line from ${table} as t
       where brand_id = $1 and profile_id is not null
         and not exists (select from profiles as p where p.brand_id = $1 and p.id = t.profile_id)`,
  )
  const { rows } = await database.query<{ line: string }>(
    `select 'identity ' || value as line from profile_identities where brand_id = $1 and value = any($2::text[])
     union all
     select 'erased event ' || (attributes ->> 'mark') from events
     where brand_id = $1 and attributes ->> 'mark' = any($2::text[])
     union all
     select 'erased ' || subscription_id from subscriptions where brand_id = $1 and subscription_id = any($3::text[])
     union all
     select 'notification to erased ' || substring(content::text from $4) from notifications
     where brand_id = $1 and substring(content::text from $4) = any($2::text[])
     union all
     select 'reply about erased ' || key from idempotency_keys where brand_id = $1 and key = any($3::text[])
     union all
     select 'event id of erased ' || event_id from event_ids where brand_id = $1 and event_id = any($2::text[])
     union all
     ${orphans.join(' union all ')}`,
    [brandId, erased, erased.map(deviceOf), MARK_PATTERN],
  )
  return rows.map(({ line }) => line)
}

/** The mark in the text of a notification. */
export const MARK_PATTERN = 'call ([[:alnum:]-]+)[.]'

/** Rows in them belong to somebody who has a profile, once merges and erasures are done. */
const PEOPLE_TABLES = [
  'events',
  'profile_activity',
  'profile_event_counters',
  'notifications',
  'enrolments',
  'active_weeks',
  'webhook_messages',
]
