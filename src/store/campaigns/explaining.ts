import type { BestHourQuery } from '../../domain/campaigns/best-hour.ts'
import type { CampaignFacts } from '../../domain/campaigns/explanation.ts'
import type { Db } from '../db.ts'
import { loadActivePerson, loadBrandQuarters } from '../push/best-hours.ts'
import { acceptedSql, deliverySql } from '../push/delivery-sql.ts'
import { APPLICABLE_QUIET_HOURS } from '../push/quiet-hours.ts'

const SENT_TO = { brand: '$1', notification: 'sent.id', subscription: 's.id' } as const

type ExplainedRef = { readonly brandId: number; readonly id: string; readonly profileId: bigint }

/** The facts about a notification of a campaign and one person; null when no campaign sent it. Run it as the engine. */
export async function loadCampaignFacts(
  db: Db,
  { brandId, id, profileId }: ExplainedRef,
): Promise<CampaignFacts | null> {
  const { rows } = await db.query<FactsRow>(
    `select n.campaign_id as "campaignId", $3::bigint as person, n.trial,
       coalesce(n.alternatives -> 'variants', '[]') as variants,
       case when n.has_user_list then exists (
         select from profile_identities as i
         join campaign_users as u on u.brand_id = $1 and u.campaign_id = n.campaign_id and u.user_id = i.value
         where i.brand_id = $1 and i.kind = 'user_id' and i.profile_id = $3) end as "isListed",
       case when exists (
         select from notifications as sent
         join subscriptions as s on s.brand_id = $1 and s.profile_id = $3
         cross join lateral (${acceptedSql(SENT_TO)}) as d
         where sent.brand_id = $1 and sent.campaign_id = n.except_campaign_id and not sent.is_test)
         then n.except_campaign_id end as "gotCampaignId",
       case when n.is_latest_only then (
         select jsonb_build_object('subscriptionId', s.subscription_id, 'platform', s.platform)
         from subscriptions as s where s.brand_id = $1 and s.profile_id = $3 and (s.state = 'live' or ${IS_CHOSEN})
           and (n.reaches_virtual or not s.is_virtual)
         order by ${IS_CHOSEN} desc, s.registered_at desc, s.id desc limit 1) end as latest,
       n.send_at as "sendAt", n.best_hour_until as "bestHourUntil", brands.time_zone as "brandZone",
       ${APPLICABLE_QUIET_HOURS} as "quietHours"
     from notifications as n join brands on brands.id = n.brand_id
     where n.brand_id = $1 and n.id = $2 and n.campaign_id is not null`,
    [brandId, id, profileId],
  )
  const [row] = rows
  if (row === undefined) return null
  const { sendAt: from, bestHourUntil: until, brandZone, quietHours, ...facts } = row
  if (until === null) return { ...facts, hour: null }
  const brandQuarters = await loadBrandQuarters(db, brandId)
  const person = await loadActivePerson(db, { brandId, profileId })
  const plannedAt = await loadPlannedAt(db, { brandId, id, profileId })
  return {
    ...facts,
    hour: { query: { from, until, brandZone, quietHours, brandQuarters }, person, plannedAt },
  }
}

/** The instant for which the message to a person's devices is planned; null before the plan, and when it has left. */
async function loadPlannedAt(db: Db, { brandId, id, profileId }: ExplainedRef): Promise<number | null> {
  const { rows } = await db.query<{ at: number | null }>(
    `select min(c.ready_at) as at from subscriptions as s
     join chunks as c on c.brand_id = $1 and c.notification_id = $2 and s.id between c.first_id and c.last_id
       and s.id = any(c.subscription_ids)
     where s.brand_id = $1 and s.profile_id = $3`,
    [brandId, id, profileId],
  )
  return rows[0]?.at ?? null
}

/** Whether the device `s` was chosen when the campaign was planned: it has a delivery, or is listed for one. */
const IS_CHOSEN = `exists (
  select from notifications as sent where sent.brand_id = $1 and sent.campaign_id = n.campaign_id and not sent.is_test
    and (exists (${deliverySql(SENT_TO)})
      or exists (select from chunks as c
        where c.brand_id = $1 and c.notification_id = sent.id and s.id between c.first_id and c.last_id
          and s.id = any(c.subscription_ids))))`

type FactsRow = Omit<CampaignFacts, 'hour'> &
  Pick<BestHourQuery, 'brandZone' | 'quietHours'> & {
    readonly sendAt: number
    readonly bestHourUntil: number | null
  }
