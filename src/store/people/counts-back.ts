import { askGoalRecount } from '../campaigns/goal-recounts.ts'
import { GOAL_READER } from '../campaigns/goals.ts'
import type { Db } from '../db.ts'
import { recountQuarters } from '../events/active-quarters.ts'
import { takeReader } from '../events/readers.ts'
import { type MergedWeek, partActiveWeeks } from '../series/active-people.ts'
import { countListedPeople } from '../series/events.ts'

/** The counts of the absorbed profile at the time of the merge. */
export type CountsBefore = {
  readonly counters?: readonly Counter[]
  readonly activity?: object | null
  readonly campaigns?: readonly object[]
  /** The campaigns that the survivor was in before the merge. */
  readonly ownCampaigns?: readonly object[]
  /** The ids of its conversions. */
  readonly conversions?: readonly string[]
  readonly weeks?: readonly MergedWeek[]
}

type Counter = {
  readonly event_name: string
  readonly event_count: number
  readonly first_event_at: string
  readonly last_event_at: string
}

export type PartedMerge = {
  readonly brandId: number
  readonly survivorId: bigint
  readonly absorbedId: bigint
  readonly before: CountsBefore
}

/**
 * Gives the absorbed profile the counts that it had. The survivor's first and last times are then read from its own
 * events; where retention has dropped those, the times stay as they are.
 */
export async function giveCountsBack(tx: Db, merge: PartedMerge): Promise<void> {
  const { counters, activity } = merge.before
  await moveCounters(tx, merge, JSON.stringify(counters ?? []))
  const activities = activity === null || activity === undefined ? [] : [activity]
  await moveActivity(tx, merge, JSON.stringify(activities))
  await recountQuarters(tx, merge.brandId, [merge.survivorId, merge.absorbedId])
  await moveCampaignsBack(tx, merge)
  await partActiveWeeks(tx, merge, merge.before.weeks ?? [])
  await countListedPeople(tx, merge.brandId, [merge.survivorId, merge.absorbedId])
}

/**
 * A row that the merge gave to the survivor goes back; a row that the survivor had of its own stays, without the click
 * that the merge gave to it. Where the survivor's row is gone because of its age, there is none to give back.
 */
async function moveCampaignsBack(
  tx: Db,
  { brandId, survivorId, absorbedId, before }: PartedMerge,
): Promise<void> {
  await takeReader(tx, { brandId, reader: GOAL_READER })
  await tx.query(
    `update conversions set profile_id = $3 where brand_id = $1 and profile_id = $2 and id = any($4)`,
    [brandId, survivorId, absorbedId, before.conversions ?? []],
  )
  await tx.query(
    `with given as (
       select campaign_id, trial_group, planned_at, clicked_at from jsonb_to_recordset($4::jsonb)
         as r (campaign_id bigint, trial_group smallint, planned_at timestamptz, clicked_at timestamptz)
     ), own as (
       select campaign_id, clicked_at from jsonb_to_recordset($5::jsonb)
         as r (campaign_id bigint, clicked_at timestamptz)
     ), returned as (
       delete from campaign_people as p using given
       where p.brand_id = $1 and p.profile_id = $2 and p.campaign_id = given.campaign_id
         and p.campaign_id not in (select campaign_id from own)
     ), kept as (
       update campaign_people as p set clicked_at = own.clicked_at from own join given using (campaign_id)
       where p.brand_id = $1 and p.profile_id = $2 and p.campaign_id = own.campaign_id
         and p.clicked_at = given.clicked_at and p.clicked_at is distinct from own.clicked_at
     )
     insert into campaign_people (brand_id, campaign_id, profile_id, trial_group, planned_at, clicked_at)
     select $1, campaign_id, $3, trial_group, planned_at, clicked_at from given
     where exists (select from campaign_people as p
       where p.brand_id = $1 and p.profile_id = $2 and p.campaign_id = given.campaign_id)
     on conflict do nothing`,
    [
      brandId,
      survivorId,
      absorbedId,
      JSON.stringify(before.campaigns ?? []),
      JSON.stringify(before.ownCampaigns ?? []),
    ],
  )
  await tx.query('delete from goal_people where brand_id = $1 and profile_id = any($2)', [
    brandId,
    [survivorId, absorbedId],
  ])
  await askGoalRecount(tx, brandId, [survivorId, absorbedId])
}

async function moveCounters(
  tx: Db,
  { brandId, survivorId, absorbedId }: PartedMerge,
  counters: string,
): Promise<void> {
  await tx.query(
    `insert into profile_event_counters (brand_id, profile_id, event_name, event_count, first_event_at, last_event_at)
     select $1, $2, event_name, event_count, first_event_at, last_event_at
     from jsonb_to_recordset($3::jsonb)
       as c (event_name text, event_count bigint, first_event_at timestamptz, last_event_at timestamptz)`,
    [brandId, absorbedId, counters],
  )
  await tx.query(
    `with given as (
       select event_name, event_count from jsonb_to_recordset($3::jsonb) as c (event_name text, event_count bigint)
     ), emptied as (
       delete from profile_event_counters as c using given
       where c.brand_id = $1 and c.profile_id = $2 and c.event_name = given.event_name
         and c.event_count <= given.event_count
     )
     update profile_event_counters as c
     set event_count = c.event_count - given.event_count,
       first_event_at = coalesce(own.first_event_at, c.first_event_at),
       last_event_at = coalesce(own.last_event_at, c.last_event_at)
     from given cross join lateral (
       select min(event_at) as first_event_at, max(event_at) as last_event_at from events as e
       where e.brand_id = $1 and e.profile_id = $2 and e.event_name = given.event_name
     ) as own
     where c.brand_id = $1 and c.profile_id = $2 and c.event_name = given.event_name
       and c.event_count > given.event_count`,
    [brandId, survivorId, counters],
  )
}

async function moveActivity(
  tx: Db,
  { brandId, survivorId, absorbedId }: PartedMerge,
  activity: string,
): Promise<void> {
  await tx.query(
    `insert into profile_activity (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv)
     select $1, $2, event_count, first_event_at, last_event_at, ltv
     from jsonb_to_recordset($3::jsonb)
       as a (event_count bigint, first_event_at timestamptz, last_event_at timestamptz, ltv numeric)`,
    [brandId, absorbedId, activity],
  )
  await tx.query(
    `with given as (
       select event_count, ltv from jsonb_to_recordset($3::jsonb) as a (event_count bigint, ltv numeric)
     ), emptied as (
       delete from profile_activity as a using given
       where a.brand_id = $1 and a.profile_id = $2 and a.event_count <= given.event_count
     )
     update profile_activity as a
     set event_count = a.event_count - given.event_count, ltv = a.ltv - given.ltv,
       first_event_at = coalesce(own.first_event_at, a.first_event_at),
       last_event_at = coalesce(own.last_event_at, a.last_event_at)
     from given cross join (
       select min(event_at) as first_event_at, max(event_at) as last_event_at from events as e
       where e.brand_id = $1 and e.profile_id = $2
     ) as own
     where a.brand_id = $1 and a.profile_id = $2 and a.event_count > given.event_count`,
    [brandId, survivorId, activity],
  )
}
