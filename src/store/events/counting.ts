import type { Db } from '../db.ts'
import { countSpreadPeople, elsewhereSql, eventSeriesSql } from '../series/events.ts'
import { countSpreadEvents, joinedQuartersSql, oldQuarterAt, quarterSql } from './active-quarters.ts'
import type { Batch } from './readers.ts'

/**
 * Adds batches to all counts: by profile, by profile and event, by event, by attribute, by quarter hour, and to the
 * series. The caller has locked the reader's row and moves the reader in the same transaction, so each batch is counted
 * once.
 */
export async function countBatches(tx: Db, brandId: number, batches: readonly Batch[]): Promise<void> {
  const batchIds = batches.map(({ id }) => id)
  await countEvents(tx, brandId, batchIds)
  await countAttributes(tx, brandId, batches)
}

/** All counts but those of attributes; `bench/counting.ts` measures them. */
export async function countEvents(tx: Db, brandId: number, batchIds: readonly bigint[]): Promise<void> {
  const oldQuarter = oldQuarterAt(Number((batchIds[0] ?? 0n) >> ID_TIME_SHIFT))
  const { rows } = await tx.query<{ spread: number; elsewhere: number }>(COUNT, [
    brandId,
    batchIds,
    oldQuarter,
  ])
  const [found] = rows
  if (found === undefined) return
  if (found.spread > 0) await countSpreadEvents(tx, { brandId, batchIds, oldQuarter })
  if (found.elsewhere > 0) await countSpreadPeople(tx, brandId, batchIds)
}

/**
 * `newcomer` has the people whose list got the quarter hour of their events at its end. A list that became too long is
 * sorted, and then the quarter hour stands elsewhere.
 */
const COUNT = {
  // A count of one batch fits an integer, and the sum of integers is a bigint. The sum of bigints would be a numeric.
  name: 'count_events',
  text: `with event as (
    select events.* from unnest($2::bigint[]) as batch (id)
    cross join lateral (
      select id, profile_id, event_name, event_at, ltv from events
      where brand_id = $1 and id >= batch.id and id < batch.id + 1024 limit 1024
    ) as events
  ), happened as materialized (
    select profile_id, event_name, count(*)::integer as event_count, min(event_at) as first_event_at,
      max(event_at) as last_event_at, sum(ltv) as ltv, max(id) as last_id, min(id) as first_id
    from event group by profile_id, event_name
  ), by_event as (
    insert into profile_event_counters as c
      (brand_id, profile_id, event_name, event_count, first_event_at, last_event_at)
    select $1, profile_id, event_name, event_count, first_event_at, last_event_at from happened
    on conflict (brand_id, profile_id, event_name) do update
    set event_count = c.event_count + excluded.event_count,
      first_event_at = least(c.first_event_at, excluded.first_event_at),
      last_event_at = greatest(c.last_event_at, excluded.last_event_at)
  ), person as materialized (
    select profile_id, sum(event_count) as event_count, min(first_event_at) as first_event_at,
      max(last_event_at) as last_event_at, sum(ltv) as ltv, ${quarterSql('min(first_event_at)')} as first_quarter,
      ${quarterSql('max(last_event_at)')} as last_quarter
    from happened group by profile_id
  ), by_quarter as (
    insert into brand_quarters as q (brand_id, quarter, event_count)
    select $1, last_quarter, sum(event_count) from person
    where first_quarter = last_quarter and last_quarter > $3 group by last_quarter
    on conflict (brand_id, quarter) do update set event_count = q.event_count + excluded.event_count
  ), by_profile as (
    insert into profile_activity as a
      (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv, active_quarters)
    select $1, profile_id, event_count, first_event_at, last_event_at, ltv,
      case when first_quarter = last_quarter and last_quarter > $3 then array[last_quarter] else '{}' end
    from person
    on conflict (brand_id, profile_id) do update
    set event_count = a.event_count + excluded.event_count,
      first_event_at = least(a.first_event_at, excluded.first_event_at),
      last_event_at = greatest(a.last_event_at, excluded.last_event_at),
      ltv = a.ltv + excluded.ltv, active_quarters = ${joinedQuartersSql('a.active_quarters', 'excluded.active_quarters')}
    returning new.profile_id, new.active_quarters[cardinality(new.active_quarters)] as quarter,
      cardinality(new.active_quarters) - coalesce(cardinality(old.active_quarters), 0) as added
  ), by_name as (
    insert into event_names as n (brand_id, event_name, event_count, first_seen_at, last_seen_at)
    select $1, event_name, sum(event_count), to_timestamp((min(first_id) >> 21) / 1000.0),
      to_timestamp((max(last_id) >> 21) / 1000.0)
    from happened group by event_name
    on conflict (brand_id, event_name) do update
    set event_count = n.event_count + excluded.event_count,
      first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
  ), newcomer as materialized (
    select profile_id, quarter from by_profile where added = 1
  )${eventSeriesSql('event', 'newcomer')}
  select count(*) filter (where first_quarter <> last_quarter and last_quarter > $3)::integer as spread,
    ${elsewhereSql('by_profile')}::integer as elsewhere
  from person`,
}

/** Adds up the counts of attribute values that were made when the events were stored. */
async function countAttributes(tx: Db, brandId: number, batches: readonly Batch[]): Promise<void> {
  const rows = batches.flatMap(({ id, seen }) =>
    Object.entries(seen).flatMap(([eventName, attributes]) =>
      Object.entries(attributes).map(([attribute, [shown, mistyped]]) => ({
        event_name: eventName,
        attribute,
        shown,
        mistyped,
        seen_ms: Number(id >> ID_TIME_SHIFT),
      })),
    ),
  )
  if (rows.length === 0) return
  await tx.query(
    `update attribute_locks as l
     set shown_count = shown_count + seen.shown, mistyped_count = mistyped_count + seen.mistyped,
       last_seen_at = greatest(last_seen_at, seen.at)
     from (
       select event_name, attribute, sum(shown) as shown, sum(mistyped) as mistyped,
         to_timestamp(max(seen_ms) / 1000.0) as at
       from jsonb_to_recordset($2::jsonb)
         as r (event_name text, attribute text, shown bigint, mistyped bigint, seen_ms bigint)
       group by event_name, attribute
     ) as seen
     where l.brand_id = $1 and l.event_name = seen.event_name and l.attribute = seen.attribute`,
    [brandId, JSON.stringify(rows)],
  )
}

/** An event's id begins with the moment of receipt, in milliseconds. */
const ID_TIME_SHIFT = 21n
