import type { CampaignPerson, Goal, GoalMessage, GoalSource } from '../../domain/campaigns/goal.ts'
import { readStoredGoal } from '../../domain/campaigns/stored-goal.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import { GOAL_LIMITS, JOURNEY_GOAL } from '../../rules/goals.ts'
import type { Db } from '../db.ts'

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

type MessageRow = Omit<GoalMessage, 'source' | 'goal' | 'at'> & {
  readonly kind: GoalSource['kind']
  readonly sourceId: bigint
  readonly at: number
  readonly clickedAt: number | null
}

/** The messages with one of these goals that the people got, and, where the goal asks for it, clicked. */
export async function loadGoalMessages(
  tx: Db,
  { brandId, profileIds, goals }: PeopleQuery,
): Promise<readonly GoalMessage[]> {
  const { rows } = await tx.query<MessageRow>(
    `with person as (select unnest($2::bigint[]) as id), message as (
       select 'campaign' as kind, n.campaign_id as source_id, null::text as step, n.id as notification_id,
         d.subscription_id, n.platform, d.variant, d.at, s.profile_id
       from person
       join subscriptions as s on s.brand_id = $1 and s.profile_id = person.id
       join notifications as n on n.brand_id = $1 and n.campaign_id = any($3) and n.platform = s.platform and not n.is_test
       join deliveries as d
         on d.brand_id = $1 and d.notification_id = n.id and d.subscription_id = s.id and d.state = 'accepted'
       union all
       select 'journey', n.journey_id, n.step, n.id, d.subscription_id, n.platform, d.variant, d.at, n.profile_id
       from person
       join notifications as n on n.brand_id = $1 and n.profile_id = person.id and n.journey_id = any($4)
       join deliveries as d on d.brand_id = $1 and d.notification_id = n.id and d.state = 'accepted'
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
