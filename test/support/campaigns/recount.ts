import type { Figure } from '../../../src/domain/campaigns/figures.ts'
import type { Database } from '../../../src/store/db.ts'
import { HOUR_MS } from './goals.ts'

/** The figures of a campaign as its rows give them, counted from scratch, in order. */
export async function recountFigures(
  database: Database,
  { brandId, campaignId }: { readonly brandId: number; readonly campaignId: bigint },
): Promise<readonly string[]> {
  const { rows } = await database.query<Figure>(
    `with person as (
       select * from campaign_members where brand_id = $1 and campaign_id = $2
     ), own as (
       select id from notifications where brand_id = $1 and campaign_id = $2 and not is_test
     ), conversion as (
       select c.*, part_of, part from conversions as c
       cross join lateral (values ('all', ''), ('variant', variant::text), ('platform', platform)) as p (part_of, part)
       where brand_id = $1 and campaign_id = $2 and part is not null
     ), figure as (
       select 'people' as figure, 'group' as part_of, trial_group::text as part, count(*)::numeric as amount
       from person group by 3
       union all select 'clicked', 'group', trial_group::text, count(clicked_at) from person group by 3
       union all select 'reached', 'group', p.trial_group::text, count(*) from goal_people as g
         join person as p using (brand_id, campaign_id, profile_id) group by 3
       union all select 'devices.' || state, 'variant', variant::text, count(*) from all_deliveries
         where brand_id = $1 and notification_id in (select id from own) and variant is not null group by 1, 3
       union all select 'receipts.' || kind, 'all', '', count(*) from receipts
         where brand_id = $1 and notification_id in (select id from own) group by 1
       union all select 'conversions', part_of, part, count(*) from conversion group by 2, 3
       union all select 'converted', part_of, part, count(distinct profile_id) from conversion group by 2, 3
       union all select 'ltv', part_of, part, sum(ltv) from conversion group by 2, 3
     )
     select figure, part_of as "partOf", part, amount::text as amount from figure where amount <> 0`,
    [brandId, campaignId],
  )
  return figureLines(rows)
}

export function figureLines(figures: readonly Figure[]): readonly string[] {
  return figures
    .map(({ figure, partOf, part, amount }) => `${figure} ${partOf} ${part}: ${Number(amount)}`)
    .toSorted()
}

type Message = {
  readonly campaignId: bigint
  readonly notificationId: string
  readonly subscriptionId: bigint
  readonly profileId: bigint
  readonly at: number
  readonly clickedAt: number | null
  readonly goal: { readonly from: string; readonly within_days: number }
}
type Purchase = { readonly id: bigint; readonly profileId: bigint; readonly at: number; readonly ltv: string }
type Planned = Pick<Message, 'campaignId' | 'profileId' | 'goal'> & { readonly at: number }

/** The conversions and the people who reached a goal of the brand, as they must be, found one event at a time. */
export async function recountGoals(database: Database, brandId: number): Promise<readonly string[]> {
  const messages = await database.query<Message>(
    `select n.campaign_id as "campaignId", n.id as "notificationId", s.id as "subscriptionId",
       s.profile_id as "profileId", d.at, c.document -> 'goal' as goal,
       (select min(r.at) from receipts as r where r.brand_id = $1 and r.notification_id = n.id
          and r.subscription_id = s.id and r.kind in ('clicked', 'button')) as "clickedAt"
     from all_deliveries as d join notifications as n on n.brand_id = $1 and n.id = d.notification_id
     join campaigns as c on c.brand_id = $1 and c.id = n.campaign_id
     join subscriptions as s on s.brand_id = $1 and s.id = d.subscription_id
     join campaign_members as p on p.brand_id = $1 and p.campaign_id = n.campaign_id and p.profile_id = s.profile_id
     where d.brand_id = $1 and d.state = 'accepted'`,
    [brandId],
  )
  const planned = await database.query<Planned>(
    `select p.campaign_id as "campaignId", p.profile_id as "profileId", p.planned_at as at, c.document -> 'goal' as goal
     from campaign_members as p join campaigns as c on c.brand_id = $1 and c.id = p.campaign_id where p.brand_id = $1`,
    [brandId],
  )
  const purchases = await database.query<Purchase>(
    `select id, profile_id as "profileId", event_at as at, ltv::text as ltv from events
     where brand_id = $1 and event_name = 'purchase' and not is_before_creation`,
    [brandId],
  )
  const claims = messages.rows.flatMap((message) => {
    const from = message.goal.from === 'click' ? message.clickedAt : message.at
    return from === null ? [] : [{ ...message, at: from }]
  })
  const conversions = purchases.rows.flatMap((event) => {
    const last = claims
      .filter((message) => isInTime(message, event))
      .toSorted((a, b) => b.at - a.at || compare(b, a))
      .at(0)
    if (last === undefined) return []
    return [
      `event ${event.id} of ${event.profileId}: ${last.campaignId} ${last.notificationId} ${last.subscriptionId}`,
    ]
  })
  const reached = planned.rows.flatMap((person) => {
    const did = purchases.rows.filter((event) => isInTime(person, event))
    const ltv = did.reduce((sum, event) => sum + Number(event.ltv), 0)
    return did.length === 0
      ? []
      : [`person ${person.profileId} of ${person.campaignId}: ${did.length} ${ltv}`]
  })
  return [...conversions, ...reached].toSorted()
}

/** The same as the rows say it that were kept up live. */
export async function loadLiveGoals(database: Database, brandId: number): Promise<readonly string[]> {
  const { rows } = await database.query<{ line: string }>(
    `select format('event %s of %s: %s %s %s', id, profile_id, campaign_id, notification_id, subscription_id) as line
     from conversions where brand_id = $1
     union all
     select format('person %s of %s: %s %s', profile_id, campaign_id, events, trim_scale(ltv)) from goal_people
     where brand_id = $1`,
    [brandId],
  )
  return rows.map(({ line }) => line).toSorted()
}

/** An event has whole seconds, so one of the same second as the message counts. The end of the time does not. */
function isInTime({ profileId, at, goal }: Planned, event: Purchase): boolean {
  const isAfter = event.at >= Math.floor(at / 1_000) * 1_000
  return profileId === event.profileId && isAfter && event.at < at + goal.within_days * 24 * HOUR_MS
}

function compare(a: Message, b: Message): number {
  if (a.notificationId !== b.notificationId) return a.notificationId < b.notificationId ? -1 : 1
  return a.subscriptionId < b.subscriptionId ? -1 : 1
}
