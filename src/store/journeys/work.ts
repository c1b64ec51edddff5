import type { JourneyState } from '../../rules/journeys.ts'
import { STOPPED_BRANDS } from '../brand/brand-state.ts'
import type { Db } from '../db.ts'
import { journeySeriesSql } from '../series/changes.ts'
import { journeyFactSql } from '../webhooks/facts.ts'
import type { JourneyRef } from './enrolments.ts'
import type { PlanRef } from './plans.ts'

/** The name of the reader of event batches for journeys. */
export const JOURNEY_READER = 'journeys'

/** A search for journeys of all brands that have work. Without `now`, the database's clock decides. */
export type DueWork = {
  readonly now: number | null
  readonly limit: number
  /** Journeys to leave out for now. */
  readonly except?: readonly JourneyRef[]
}

/** Journeys with a due enrolment, and archived journeys with somebody inside, in random order. */
export async function findDueJourneys(
  db: Db,
  { now, limit, except = [] }: DueWork,
): Promise<readonly JourneyRef[]> {
  const { rows } = await db.query<JourneyRef>(
    `with moment (now) as materialized (select coalesce($1::timestamptz, clock_timestamp()))
     select j.brand_id as "brandId", j.id as "journeyId" from journeys as j
     where state in ('active', 'archived') and j.brand_id <> all ${STOPPED_BRANDS}
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

/** Locks a journey against changes of its state until the transaction ends, and gives the state. */
export async function shareJourney(tx: Db, { brandId, journeyId }: JourneyRef): Promise<JourneyState | null> {
  const { rows } = await tx.query<{ state: JourneyState }>(
    'select state from journeys where brand_id = $1 and id = $2 for share',
    [brandId, journeyId],
  )
  return rows[0]?.state ?? null
}

/** Ends up to `limit` enrolments of an archived journey, and returns their number. */
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
     ), enqueued as (
       ${journeyFactSql({ from: 'gone', type: `'journey.exited'` }, { reason: `'archived'` })}
     ), noted as (
       select $1::integer as brand_id, $2::bigint as journey_id, '' as step, 'archived' as did, true as is_end,
         count(*) as count
       from gone having count(*) > 0
     ), added_up as (
       ${journeySeriesSql('noted', '$3')}
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

/** A journey that waits for events, with the names that any of its versions listens to. */
export type ListeningJourney = PlanRef & {
  readonly state: JourneyState
  readonly activeSince: number
  readonly listens: readonly string[]
}

/** The active and the paused journeys of a brand. A person inside a paused journey can still reach its goal. */
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
