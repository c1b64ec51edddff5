import type { CampaignPerson, Goal, GoalMessage, GoalSource } from '../../domain/campaigns/goal.ts'
import { readStoredGoal } from '../../domain/campaigns/stored-goal.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import { GOAL_LIMITS, JOURNEY_GOAL } from '../../rules/goals.ts'
import type { Db } from '../db.ts'
import { acceptedOfSql, acceptedSql } from '../push/delivery-sql.ts'

/** The name of the reader of event batches for goals. */
export const GOAL_READER = 'goals'

/** A goal with the campaign or the journey that it belongs to. */
export type SourcedGoal = { readonly source: GoalSource; readonly goal: Goal }

const CURRENT_VERSION = `join journey_versions as v
  on v.brand_id = j.brand_id and v.journey_id = j.id and v.version = j.version`

/** The goals of a brand that an event may still reach. An event that is told later than this is not counted. */
export async function loadGoals(tx: Db, brandId: number): Promise<readonly SourcedGoal[]> {
  const { rows } = await tx.query<{ kind: GoalSource['kind']; id: bigint; goal: JsonObject }>(
    `(select 'campaign' as kind, id, document -> 'goal' as goal from campaigns
      where brand_id = $1 and goal_event is not null and launched_at is not null
        and coalesce(goal_until > now() - ${GOAL_LIMITS.lateDays} * interval '1 day', true)
      order by id desc limit ${GOAL_LIMITS.goalsMax})
     union all
     (select 'journey', j.id, v.document -> 'goal' from journeys as j ${CURRENT_VERSION}
      where j.brand_id = $1 and j.state <> 'draft' and v.document -> 'goal' ->> 'event' is not null
      order by j.id desc limit ${GOAL_LIMITS.goalsMax})`,
    [brandId],
  )
  return rows.map(({ kind, id, goal }) => ({
    source: { kind, id },
    goal: readStoredGoal(kind === 'journey' ? { ...goal, ...JOURNEY_GOAL } : goal),
  }))
}

export type PeopleQuery = {
  readonly brandId: number
  readonly profileIds: readonly bigint[]
  readonly goals: readonly SourcedGoal[]
}

type DoersQuery = {
  readonly brandId: number
  readonly batchIds: readonly bigint[]
  readonly names: readonly string[]
  readonly goals: readonly SourcedGoal[]
}

/**
 * The people who did one of these events in these batches and whom a campaign or a journey with one of the goals was
 * planned for. Most events are of other people, so they are left out before anything else is read. Events of a merged
 * profile need no search for the survivor, who is counted again when they have moved. `limit` makes PostgreSQL take the
 * events of a batch by their ids; by the name it would read all events of that name for each batch.
 */
export async function findGoalDoers(tx: Db, query: DoersQuery): Promise<readonly bigint[]> {
  const { brandId, batchIds, names, goals } = query
  if (names.length === 0) return []
  const journeyIds = goalIds(goals, 'journey')
  const isInJourney =
    journeyIds.length === 0
      ? 'false'
      : `exists (select from notifications as n
           where n.brand_id = $1 and n.profile_id = doer.profile_id and n.journey_id = any($5))`
  const { rows } = await tx.query<{ profileId: bigint }>(
    `with doer as materialized (
       select distinct e.profile_id from unnest($2::bigint[]) as batch (id)
       cross join lateral (
         select profile_id, event_name, is_before_creation from events
         where brand_id = $1 and id >= batch.id and id < batch.id + 1024 limit 1024
       ) as e
       where e.event_name = any($3) and not e.is_before_creation
     )
     select profile_id as "profileId" from doer
     where exists (select from campaign_people as p
         where p.brand_id = $1 and p.profile_id = doer.profile_id and p.campaign_id = any($4) offset 0)
       or ${isInJourney}`,
    [brandId, batchIds, names, goalIds(goals, 'campaign'), ...(journeyIds.length === 0 ? [] : [journeyIds])],
  )
  return rows.map(({ profileId }) => profileId)
}

type MessageRow = Omit<GoalMessage, 'source' | 'goal' | 'at'> & {
  readonly kind: GoalSource['kind']
  readonly sourceId: bigint
  readonly at: number
  readonly clickedAt: number | null
}

/**
 * The messages with one of these goals that the people got, and, where the goal asks for it, clicked. A message on a
 * device counts for the person that it was planned for, while the device is theirs. `offset 0` makes PostgreSQL look
 * up each row by its key; a join would read all deliveries of a campaign for a few people. The devices are looked up
 * without their platform: before there were statistics of a brand, PostgreSQL read all its devices of the platform.
 */
export async function loadGoalMessages(
  tx: Db,
  { brandId, profileIds, goals }: PeopleQuery,
): Promise<readonly GoalMessage[]> {
  const { rows } = await tx.query<MessageRow>(
    `with person as (select unnest($2::bigint[]) as id), message as (
       select 'campaign' as kind, n.campaign_id as source_id, null::text as step, n.id as notification_id,
         s.id as subscription_id, n.platform, d.variant, d.at, person.id as profile_id
       from person
       cross join lateral (
         select campaign_id from campaign_people
         where brand_id = $1 and profile_id = person.id and campaign_id = any($3) offset 0
       ) as p
       cross join lateral (
         select id, campaign_id, platform from notifications
         where brand_id = $1 and campaign_id = p.campaign_id and not is_test offset 0
       ) as n
       cross join lateral (
         select id from (
           select id, platform from subscriptions where brand_id = $1 and profile_id = person.id offset 0
         ) as own where own.platform = n.platform
       ) as s
       cross join lateral (
         ${acceptedSql({ brand: '$1', notification: 'n.id', subscription: 's.id' })}
       ) as d
       union all
       select 'journey', n.journey_id, n.step, n.id, d.subscription_id, n.platform, d.variant, d.at, n.profile_id
       from person
       join notifications as n on n.brand_id = $1 and n.profile_id = person.id and n.journey_id = any($4)
       cross join lateral (${acceptedOfSql({ brand: '$1', notification: 'n.id' })}) as d
     )
     select kind, source_id as "sourceId", step, notification_id as "notificationId",
       subscription_id as "subscriptionId", platform, variant, at, profile_id as "profileId",
       (select min(r.at) from receipts as r
        where r.brand_id = $1 and r.notification_id = message.notification_id
          and r.subscription_id = message.subscription_id and r.kind in ('clicked', 'button')) as "clickedAt"
     from message`,
    [brandId, profileIds, goalIds(goals, 'campaign'), goalIds(goals, 'journey')],
  )
  const goalOf = new Map(goals.map(({ source, goal }) => [`${source.kind} ${source.id}`, goal]))
  return rows.flatMap(({ kind, sourceId, at, clickedAt, ...row }) => {
    const goal = goalOf.get(`${kind} ${sourceId}`)
    const from = goal?.from === 'click' ? clickedAt : at
    return goal === undefined || from === null
      ? []
      : [{ ...row, source: { kind, id: sourceId }, goal, at: from }]
  })
}

/** The campaigns, or the journeys, of goals. */
export function goalIds(goals: readonly SourcedGoal[], kind: GoalSource['kind']): readonly bigint[] {
  return goals.flatMap(({ source }) => (source.kind === kind ? [source.id] : []))
}

/** When campaigns with one of these goals were planned to reach the people, or would have. */
export async function loadCampaignPeople(
  tx: Db,
  { brandId, profileIds, goals }: PeopleQuery,
): Promise<readonly CampaignPerson[]> {
  const { rows } = await tx.query<CampaignPerson>(
    `select p.campaign_id as "campaignId", p.profile_id as "profileId", p.planned_at as "plannedAt"
     from campaign_people as p
     where p.brand_id = $1 and p.campaign_id = any($2) and p.profile_id = any($3)`,
    [brandId, goalIds(goals, 'campaign'), profileIds],
  )
  return rows
}
