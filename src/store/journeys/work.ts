import type { JourneyState } from '../../rules/journeys.ts'
import type { Db } from '../db.ts'
import { journeyFactSql } from '../webhooks/facts.ts'
import type { JourneyRef } from './enrolments.ts'
import type { PlanRef } from './plans.ts'

/** The name under which journeys keep their place in the batches of events. */
export const JOURNEY_READER = 'journeys'

/**
 * Gives a brand a place among the readers of events, from this moment on. What was stored before a brand's first
 * journey is nobody's trigger; what may still be committed is not skipped.
 */
export async function ensureJourneyReader(tx: Db, brandId: number): Promise<void> {
  await tx.query(
    `insert into event_readers (brand_id, reader, tx, batch_id)
     values ($1, $2, pg_snapshot_xmin(pg_current_snapshot()), 0) on conflict do nothing`,
    [brandId, JOURNEY_READER],
  )
}

/** Which journeys of all brands are looked for; the clock is that of the database unless a moment is given. */
export type DueWork = {
  readonly now: number | null
  readonly limit: number
  /** Those that are left alone for now. */
  readonly except?: readonly JourneyRef[]
}

/** Journeys with somebody whose time has come, or that were archived with somebody inside; chance decides who is first. */
export async function findDueJourneys(
  db: Db,
  { now, limit, except = [] }: DueWork,
): Promise<readonly JourneyRef[]> {
  const { rows } = await db.query<JourneyRef>(
    `with moment (now) as materialized (select coalesce($1::timestamptz, clock_timestamp()))
     select j.brand_id as "brandId", j.id as "journeyId" from journeys as j
     where state in ('active', 'archived') 
       and (j.brand_id, j.id) not in (select * from unnest($3::integer[], $4::bigint[])) and exists (
       select from enrolments as e
       where e.brand_id = j.brand_id and e.journey_id = j.id and e.state = 'active'
         and (j.state = 'archived' or e.wake_at <= (select now from moment))
       order by e.wake_at limit 1)
     order by random() limit $2`,
    [now === null ? null : new Date(now), limit, ...refColumns(except)],
  )
  return rows
}

/** Holds a journey as it is: whoever pauses it waits until this transaction ends. */
export async function shareJourney(tx: Db, { brandId, journeyId }: JourneyRef): Promise<JourneyState | null> {
  const { rows } = await tx.query<{ state: JourneyState }>(
    'select state from journeys where brand_id = $1 and id = $2 for share',
    [brandId, journeyId],
  )
  return rows[0]?.state ?? null
}

/** Sends everyone out of a journey that was archived, at most so many at a time; the number of them. */
export async function closeArchived(
  tx: Db,
  { brandId, journeyId }: JourneyRef,
  { now, rowsMax }: { readonly now: number; readonly rowsMax: number },
): Promise<number> {
  const { count } = await tx.query(
    `with part as (
       select id from enrolments where brand_id = $1 and journey_id = $2 and state = 'active'
       limit $4 for update skip locked
     ), gone as (
       update enrolments as e set state = 'exited', step = null, is_waiting = false, wake_at = null, step_at = $3,
         path = e.path || jsonb_build_array(jsonb_build_object('at', $5::bigint, 'step', null, 'did', 'archived'))
       from part where e.brand_id = $1 and e.id = part.id
       returning e.brand_id, e.journey_id, e.version, e.profile_id
     ), told as (
       ${journeyFactSql({ from: 'gone', type: `'journey.exited'` }, { reason: `'archived'` })}
     ), counted as (
       insert into journey_counts as c (brand_id, journey_id, version, step, did, count)
       select $1, $2, version, '', 'archived', count(*) from gone group by version
       on conflict (brand_id, journey_id, version, step, did) do update set count = c.count + excluded.count
     )
     select from gone`,
    [brandId, journeyId, new Date(now), rowsMax, Math.trunc(now)],
  )
  return count
}

/** A journey of a brand whose events matter, with the names of those that any of its versions listens to. */
export type ListeningJourney = PlanRef & {
  readonly state: JourneyState
  readonly activeSince: number
  readonly listens: readonly string[]
}

/** The brand's journeys that run or rest. Who is inside a resting one still reaches the goal. */
export async function loadListening(tx: Db, brandId: number): Promise<readonly ListeningJourney[]> {
  const { rows } = await tx.query<ListeningJourney>(
    `select j.id as "journeyId", j.version, j.state, j.active_since as "activeSince",
       array(select distinct unnest(v.listens) from journey_versions as v
         where v.brand_id = j.brand_id and v.journey_id = j.id) as listens
     from journeys as j where j.brand_id = $1 and j.state in ('active', 'paused') order by j.id for share of j`,
    [brandId],
  )
  return rows
}

/** Journeys as the two columns of an `unnest`. */
export function refColumns(refs: readonly JourneyRef[]): readonly [readonly number[], readonly bigint[]] {
  return [refs.map(({ brandId }) => brandId), refs.map(({ journeyId }) => journeyId)]
}
