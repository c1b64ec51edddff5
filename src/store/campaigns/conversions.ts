import type { CampaignPerson, Conversion, GoalPerson, GoalSource } from '../../domain/campaigns/goal.ts'
import type { Db } from '../db.ts'
import { goalIds, type PeopleQuery } from './goals.ts'

/**
 * Writes which message each event counts for. An event that was given to another message before moves. Whoever writes
 * conversions has locked the place of the reader of goals. Most people are counted because of one new event, and their
 * other events are written already: these are looked up, and not written again. Events that move and events that are new
 * are two statements, because the triggers that count people see the rows of a whole statement.
 */
export async function saveConversions(
  tx: Db,
  brandId: number,
  conversions: readonly Conversion[],
): Promise<void> {
  if (conversions.length === 0) return
  const known = await loadConversions(tx, brandId, conversions)
  const moved = conversions.filter((each) => (known.get(each.event.id) ?? nameOf(each)) !== nameOf(each))
  const added = conversions.filter(({ event }) => !known.has(event.id))
  if (moved.length > 0) await moveConversions(tx, brandId, moved)
  if (added.length > 0) await addConversions(tx, brandId, added)
}

/** The person and the message that each event was given to before. */
async function loadConversions(
  tx: Db,
  brandId: number,
  conversions: readonly Conversion[],
): Promise<ReadonlyMap<bigint, string>> {
  const { rows } = await tx.query<KnownConversion>(
    `select id, profile_id as "profileId", notification_id as "notificationId", subscription_id as "subscriptionId"
     from conversions where brand_id = $1 and id = any($2::bigint[])`,
    [brandId, conversions.map(({ event }) => event.id)],
  )
  return new Map(rows.map((row) => [row.id, `${row.profileId} ${row.notificationId} ${row.subscriptionId}`]))
}

type KnownConversion = {
  readonly id: bigint
  readonly profileId: bigint
  readonly notificationId: string
  readonly subscriptionId: bigint
}

function nameOf({ event, message }: Conversion): string {
  return `${event.profileId} ${message.notificationId} ${message.subscriptionId}`
}

/** The rows of conversions, of the statement's second value on. */
const GIVEN = `unnest($2::bigint[], $3::bigint[], $4::timestamptz[], $5::numeric[], $6::bigint[], $7::bigint[], $8::text[],
  $9::uuid[], $10::bigint[], $11::text[], $12::smallint[]) as given (id, profile_id, at, ltv, campaign_id, journey_id, step,
  notification_id, subscription_id, platform, variant)`

function columnsOf(conversions: readonly Conversion[]): readonly (readonly unknown[])[] {
  const events = conversions.map(({ event }) => event)
  const messages = conversions.map(({ message }) => message)
  const sourceIds = (kind: GoalSource['kind']): readonly (bigint | null)[] =>
    messages.map(({ source }) => (source.kind === kind ? source.id : null))
  return [
    events.map(({ id }) => id),
    events.map(({ profileId }) => profileId),
    events.map(({ at }) => new Date(at)),
    events.map(({ ltv }) => ltv),
    sourceIds('campaign'),
    sourceIds('journey'),
    messages.map(({ step }) => step),
    messages.map(({ notificationId }) => notificationId),
    messages.map(({ subscriptionId }) => subscriptionId),
    messages.map(({ platform }) => platform),
    messages.map(({ variant }) => variant),
  ]
}

async function moveConversions(tx: Db, brandId: number, moved: readonly Conversion[]): Promise<void> {
  await tx.query(
    `update conversions as c set profile_id = given.profile_id, campaign_id = given.campaign_id,
       journey_id = given.journey_id, step = given.step, notification_id = given.notification_id,
       subscription_id = given.subscription_id, platform = given.platform, variant = given.variant
     from ${GIVEN} where c.brand_id = $1 and c.id = given.id`,
    [brandId, ...columnsOf(moved)],
  )
}

async function addConversions(tx: Db, brandId: number, added: readonly Conversion[]): Promise<void> {
  await tx.query(
    `insert into conversions (brand_id, id, profile_id, at, ltv, campaign_id, journey_id, step, notification_id,
       subscription_id, platform, variant)
     select $1, id, profile_id, at, ltv, campaign_id, journey_id, step, notification_id, subscription_id, platform, variant
     from ${GIVEN} on conflict (brand_id, id) do nothing`,
    [brandId, ...columnsOf(added)],
  )
}

/**
 * Deletes the conversions of people whose events moved, so that they can be counted anew. Those of goals that are long
 * over, and of messages that are no longer kept, stay as they are.
 */
export async function clearConversions(tx: Db, { brandId, profileIds, goals }: PeopleQuery): Promise<void> {
  await tx.query(
    `delete from conversions as c where brand_id = $1 and profile_id = any($2)
       and (campaign_id = any($3) or journey_id = any($4))
       and exists (select from notifications as n where n.brand_id = $1 and n.id = c.notification_id)`,
    [brandId, profileIds, goalIds(goals, 'campaign'), goalIds(goals, 'journey')],
  )
}

type GoalCount = {
  readonly brandId: number
  /** Everybody who was looked at, with or without a goal event. */
  readonly people: readonly CampaignPerson[]
  readonly reached: readonly GoalPerson[]
}

/**
 * Writes who of the people reached the goal of their campaign, in place of what was written before. `offset 0` makes
 * PostgreSQL look up each of them; a join would read everybody whom any campaign of the brand was planned for.
 */
export async function saveGoalPeople(tx: Db, { brandId, people, reached }: GoalCount): Promise<void> {
  if (people.length === 0) return
  const events = reached.flatMap(({ campaignId, profileId, events: own }) =>
    own.map(({ ltv }) => ({ campaignId, profileId, ltv })),
  )
  await tx.query(
    `with reached as (
       select campaign_id, profile_id, count(*)::integer as events, sum(ltv) as ltv
       from unnest($4::bigint[], $5::bigint[], $6::numeric[]) as event (campaign_id, profile_id, ltv) group by 1, 2
     ), gone as (
       delete from goal_people as g using unnest($2::bigint[], $3::bigint[]) as looked (campaign_id, profile_id)
       where g.brand_id = $1 and g.campaign_id = looked.campaign_id and g.profile_id = looked.profile_id
         and (looked.campaign_id, looked.profile_id) not in (select campaign_id, profile_id from reached)
     )
     insert into goal_people as g (brand_id, campaign_id, profile_id, trial_group, events, ltv)
     select $1, campaign_id, profile_id, p.trial_group, events, ltv from reached
     cross join lateral (
       select trial_group from campaign_people as own
       where own.brand_id = $1 and own.campaign_id = reached.campaign_id and own.profile_id = reached.profile_id offset 0
     ) as p
     on conflict (brand_id, campaign_id, profile_id) do update set events = excluded.events, ltv = excluded.ltv
     where g.events <> excluded.events or g.ltv <> excluded.ltv`,
    [
      brandId,
      people.map(({ campaignId }) => campaignId),
      people.map(({ profileId }) => profileId),
      events.map(({ campaignId }) => campaignId),
      events.map(({ profileId }) => profileId),
      events.map(({ ltv }) => ltv),
    ],
  )
}
