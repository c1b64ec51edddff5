import type { Attributed, GroupFacts } from '../../domain/campaigns/results.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { DeliveryState, ReceiptKind } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import type { CampaignRef } from './campaigns.ts'

/** The counts of the groups that a campaign divided its people into. */
export async function loadGroupFacts(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
): Promise<readonly GroupFacts[]> {
  const { rows } = await tx.query<GroupFacts>(
    `with planned as (
       select trial_group, count(*)::integer as people from campaign_people
       where brand_id = $1 and campaign_id = $2 group by trial_group
     ), clicked as (
       select trial_group, count(*)::integer as people from campaign_people
       where brand_id = $1 and campaign_id = $2 and clicked_at is not null group by trial_group
     ), reached as (
       select p.trial_group, count(*)::integer as people from goal_people as g
       join campaign_people as p
         on p.brand_id = g.brand_id and p.campaign_id = g.campaign_id and p.profile_id = g.profile_id
       where g.brand_id = $1 and g.campaign_id = $2 group by p.trial_group
     )
     select planned.trial_group::integer as group, planned.people, coalesce(clicked.people, 0) as clicked,
       coalesce(reached.people, 0) as reached
     from planned left join clicked using (trial_group) left join reached using (trial_group)
     order by planned.trial_group`,
    [brandId, campaignId],
  )
  return rows
}

/** Conversions of the whole campaign or journey, or of the part that `by` names. */
export type AttributedRow = Attributed & {
  readonly by: 'all' | 'variant' | 'step' | 'platform'
  readonly variant: number | null
  readonly step: string | null
  readonly platform: Platform | null
}

/** The goal events that count for a campaign: in all, by variant and by platform. */
export async function loadCampaignConversions(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
): Promise<readonly AttributedRow[]> {
  const { rows } = await tx.query<AttributedRow>(
    `select ${partSql('variant')} as by, variant, null as step, platform, ${FIGURES} from conversions
     where brand_id = $1 and campaign_id = $2 group by grouping sets ((), (variant), (platform))`,
    [brandId, campaignId],
  )
  return rows
}

/** The goal events that count for a journey: in all, by step and by platform. */
export async function loadJourneyConversions(
  tx: Db,
  { brandId, journeyId }: { readonly brandId: number; readonly journeyId: bigint },
): Promise<readonly AttributedRow[]> {
  const { rows } = await tx.query<AttributedRow>(
    `select ${partSql('step')} as by, null as variant, step, platform, ${FIGURES} from conversions
     where brand_id = $1 and journey_id = $2 group by grouping sets ((), (step), (platform))`,
    [brandId, journeyId],
  )
  return rows
}

const FIGURES = `count(*)::integer as conversions, count(distinct profile_id)::integer as people,
  coalesce(sum(ltv), 0)::text as ltv`

/** The part that a row of the grouping sets is about. A campaign without variants has a null among its variants. */
function partSql(column: 'variant' | 'step'): string {
  return `case grouping(${column}, platform) when 3 then 'all' when 1 then '${column}' else 'platform' end`
}

/** The outcomes on devices, by variant. */
export type VariantDevices = {
  readonly variant: number | null
  readonly state: DeliveryState
  readonly devices: number
}

export async function countVariantDevices(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
): Promise<readonly VariantDevices[]> {
  const { rows } = await tx.query<VariantDevices>(
    `select d.variant, d.state, count(*)::integer as devices from notifications as n
     join deliveries as d on d.brand_id = n.brand_id and d.notification_id = n.id
     where n.brand_id = $1 and n.campaign_id = $2 and not n.is_test group by d.variant, d.state`,
    [brandId, campaignId],
  )
  return rows
}

/** The deliveries with a receipt, by kind, over all platforms. */
export async function countCampaignReceipts(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
): Promise<Partial<Record<ReceiptKind, number>>> {
  const { rows } = await tx.query<{ kind: ReceiptKind; count: number }>(
    `select r.kind, count(*)::integer as count from notifications as n
     join receipts as r on r.brand_id = n.brand_id and r.notification_id = n.id
     where n.brand_id = $1 and n.campaign_id = $2 and not n.is_test group by r.kind`,
    [brandId, campaignId],
  )
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
}
