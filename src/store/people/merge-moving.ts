import { askGoalRecount } from '../campaigns/goal-recounts.ts'
import { GOAL_READER } from '../campaigns/goals.ts'
import type { Db } from '../db.ts'
import { anyEvents, needing } from '../event-needs.ts'
import { joinedQuartersSql } from '../events/active-quarters.ts'
import { takeReader } from '../events/readers.ts'
import { mergeActiveWeeks } from '../series/active-people.ts'

export type Moving = {
  readonly brandId: number
  readonly mergeId: bigint
  readonly survivorId: bigint
  readonly absorbedId: bigint
}

/**
 * Moves events and counters after a merge. The caller has locked the counting reader, so nothing is being counted.
 * Moves at most `rowsMax` events and returns whether that was all; the counters move last, in one step.
 */
export async function moveAfterMerge(tx: Db, moving: Moving, rowsMax: number): Promise<boolean> {
  const { count } = await tx.query(
    `with part as (
       select id from events where brand_id = $1 and profile_id = $3 limit $4
     )
     update events set profile_id = $2, source_profile_id = coalesce(source_profile_id, $3)
     from part where events.brand_id = $1 and events.id = part.id`,
    needing([moving.brandId, moving.survivorId, moving.absorbedId, rowsMax], {
      ...anyEvents(moving.brandId),
      people: [moving.absorbedId],
      use: 'write',
    }),
  )
  if (count === rowsMax) return false
  await takeReader(tx, { brandId: moving.brandId, reader: GOAL_READER })
  await keepCounters(tx, moving)
  await addCounters(tx, moving)
  await mergeActiveWeeks(tx, moving)
  await moveCampaigns(tx, moving)
  await tx.query(`update profile_merges set state = 'moved' where brand_id = $1 and id = $2`, [
    moving.brandId,
    moving.mergeId,
  ])
  return true
}

/** Stores the counters that an undo of the merge gives back. */
async function keepCounters(tx: Db, { brandId, mergeId, survivorId, absorbedId }: Moving): Promise<void> {
  await tx.query(
    `update profile_merges set before = before || jsonb_build_object(
       'counters', (select coalesce(jsonb_agg(to_jsonb(c)), '[]') from profile_event_counters as c
         where brand_id = $1 and profile_id = $3),
       'activity', (select to_jsonb(a) from profile_activity as a where brand_id = $1 and profile_id = $3),
       'campaigns', (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from campaign_people as p
         where brand_id = $1 and profile_id = $3),
       'ownCampaigns', (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from campaign_people as p
         where brand_id = $1 and profile_id = $4),
       'conversions', (select coalesce(jsonb_agg(id::text), '[]') from conversions
         where brand_id = $1 and profile_id = $3))
     where brand_id = $1 and id = $2`,
    [brandId, mergeId, absorbedId, survivorId],
  )
}

/** The survivor stays in the group of a campaign that it has; goals are counted again, because the events moved. */
async function moveCampaigns(tx: Db, { brandId, survivorId, absorbedId }: Moving): Promise<void> {
  await tx.query(
    `with gone as (
       delete from campaign_people where brand_id = $1 and profile_id = $3 returning *
     )
     insert into campaign_people as p (brand_id, campaign_id, profile_id, trial_group, planned_at, clicked_at)
     select $1, campaign_id, $2, trial_group, planned_at, clicked_at from gone
     on conflict (brand_id, campaign_id, profile_id) do update
     set clicked_at = least(p.clicked_at, excluded.clicked_at)`,
    [brandId, survivorId, absorbedId],
  )
  await tx.query('delete from goal_people where brand_id = $1 and profile_id = $2', [brandId, absorbedId])
  await tx.query('update conversions set profile_id = $2 where brand_id = $1 and profile_id = $3', [
    brandId,
    survivorId,
    absorbedId,
  ])
  await askGoalRecount(tx, brandId, [survivorId])
}

async function addCounters(tx: Db, { brandId, survivorId, absorbedId }: Moving): Promise<void> {
  await tx.query(
    `with gone as (
       delete from profile_event_counters where brand_id = $1 and profile_id = $3 returning *
     )
     insert into profile_event_counters as c
       (brand_id, profile_id, event_name, event_count, first_event_at, last_event_at)
     select $1, $2, event_name, event_count, first_event_at, last_event_at from gone
     on conflict (brand_id, profile_id, event_name) do update
     set event_count = c.event_count + excluded.event_count,
       first_event_at = least(c.first_event_at, excluded.first_event_at),
       last_event_at = greatest(c.last_event_at, excluded.last_event_at)`,
    [brandId, survivorId, absorbedId],
  )
  await tx.query(
    `with gone as (
       delete from profile_activity where brand_id = $1 and profile_id = $3 returning *
     )
     insert into profile_activity as a
       (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv, active_quarters)
     select $1, $2, event_count, first_event_at, last_event_at, ltv, active_quarters from gone
     on conflict (brand_id, profile_id) do update
     set event_count = a.event_count + excluded.event_count,
       first_event_at = least(a.first_event_at, excluded.first_event_at),
       last_event_at = greatest(a.last_event_at, excluded.last_event_at),
       ltv = a.ltv + excluded.ltv,
       active_quarters = ${joinedQuartersSql('a.active_quarters', 'excluded.active_quarters')}`,
    [brandId, survivorId, absorbedId],
  )
}
