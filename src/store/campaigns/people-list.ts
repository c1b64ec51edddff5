import type { CampaignDeed, CampaignGroup } from '../../rules/campaign-people.ts'
import { TRIAL_GROUPS } from '../../rules/trials.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import { userIdSql } from '../people/user-id-sql.ts'
import type { CampaignRef } from './campaigns.ts'
import { membersPageSql } from './members-sql.ts'

/** A person whom a campaign was planned for, or a device without a person. */
export type CampaignInsider = {
  /** The internal id; that of a device is negative. */
  readonly id: bigint
  readonly userId: string | null
  readonly subscriptionId: string | null
  /** The place of the variant, or a group below 0; null when the row is no longer kept. */
  readonly trialGroup: number | null
  readonly plannedAt: number | null
  readonly clickedAt: number | null
  /** The goal events within the time of the goal, sent to or not; null when there are none. */
  readonly goalEvents: number | null
  readonly goalLtv: string | null
  /** The goal events that count for a message of this campaign. */
  readonly conversions: number
  readonly conversionsLtv: string
}

export type CampaignPeopleQuery = CampaignRef & {
  readonly group: CampaignGroup | null
  /** The place of a variant. */
  readonly variant: number | null
  readonly did: CampaignDeed | null
  /** The time of the events of people who converted: from the first instant on, and before the second. */
  readonly convertedFrom?: number | null
  readonly convertedTo?: number | null
  readonly afterId: bigint | null
  readonly limit: number
}

/** A page of the people of a campaign, in the order of their internal ids. */
export async function listCampaignPeople(
  tx: Db,
  query: CampaignPeopleQuery,
): Promise<RowPage<CampaignInsider>> {
  const binds = new Binds()
  const brand = binds.add(query.brandId)
  const campaign = binds.add(query.campaignId)
  const key = (row: string) =>
    `${row}.brand_id = ${brand} and ${row}.campaign_id = ${campaign} and ${row}.profile_id = listed.profile_id`
  return readPage(tx, {
    text: `select listed.profile_id as id, listed.trial_group as "trialGroup", listed.planned_at as "plannedAt",
        listed.clicked_at as "clickedAt", g.events as "goalEvents", g.ltv::text as "goalLtv", s.subscription_id as "subscriptionId",
        (${userIdSql(brand, 'listed.profile_id')}) as "userId",
        counted.conversions, counted.ltv::text as "conversionsLtv"
      from (${listedSql(query, { brand, campaign, binds })}) as listed
      left join goal_people as g on ${key('g')}
      left join subscriptions as s on s.brand_id = ${brand} and s.id = -listed.profile_id
      cross join lateral (
        select count(*)::integer as conversions, coalesce(sum(ltv), 0) as ltv from conversions as c
        where ${[key('c'), ...convertedSql(query, binds)].join(' and ')}
      ) as counted
      order by listed.profile_id`,
    values: binds.values,
    limit: query.limit,
    kind: 'rows',
  })
}

type Names = { readonly brand: string; readonly campaign: string; readonly binds: Binds }

/**
 * The people of a page, with what the campaign knows about them. The table that has the fewest rows of those that are
 * wanted is read in the order of its ids. Only people with a row have goal events, and only they clicked.
 */
function listedSql(query: CampaignPeopleQuery, { brand, campaign, binds }: Names): string {
  const { did, afterId } = query
  const after = afterId === null ? null : `${binds.add(afterId)}::bigint`
  const limit = binds.add(query.limit)
  const conditions = conditionsOf(query, binds)
  if (did === null) return membersPageSql({ brand, campaign, after, limit, conditions })
  const where = [
    `brand_id = ${brand}`,
    `campaign_id = ${campaign}`,
    ...(after === null ? [] : [`profile_id > ${after}`]),
    ...conditions,
  ].join(' and ')
  return `select listed.profile_id, p.trial_group, p.planned_at, p.clicked_at
    from (select profile_id from ${DEED_TABLES[did]} where ${where} group by profile_id order by profile_id limit ${limit})
      as listed
    left join campaign_people as p
      on p.brand_id = ${brand} and p.campaign_id = ${campaign} and p.profile_id = listed.profile_id`
}

const DEED_TABLES = {
  clicked: 'campaign_people',
  reached: 'goal_people',
  converted: 'conversions',
} as const satisfies Record<CampaignDeed, string>

function conditionsOf(query: CampaignPeopleQuery, binds: Binds): readonly string[] {
  const { did, group, variant } = query
  const place = variant === null ? null : binds.add(variant)
  if (did === 'converted') {
    // Only a message that was sent can have the event counted for it.
    const isSent = group === null || group === 'sent'
    const ofVariant = place === null ? [] : [`variant = ${place}`]
    return [String(isSent), ...ofVariant, ...convertedSql(query, binds)]
  }
  return [
    ...GROUPS[group ?? 'all'],
    ...(place === null ? [] : [`trial_group = ${place}`]),
    ...(did === 'clicked' ? ['clicked_at is not null'] : []),
  ]
}

function convertedSql(
  { convertedFrom = null, convertedTo = null }: CampaignPeopleQuery,
  binds: Binds,
): readonly string[] {
  return [
    ...(convertedFrom === null ? [] : [`at >= ${binds.add(new Date(convertedFrom))}`]),
    ...(convertedTo === null ? [] : [`at < ${binds.add(new Date(convertedTo))}`]),
  ]
}

const GROUPS = {
  all: [],
  sent: ['trial_group >= 0'],
  held_out: [`trial_group = ${TRIAL_GROUPS.holdout}`],
  control: [`trial_group = ${TRIAL_GROUPS.control}`],
} as const satisfies Record<CampaignGroup | 'all', readonly string[]>
