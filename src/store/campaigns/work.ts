import type { Db } from '../db.ts'
import { acceptedOfSql } from '../push/delivery-sql.ts'
import type { CampaignRef } from './campaigns.ts'
import { COUNTED } from './notifications.ts'

/**
 * Launched campaigns whose notifications have come further than the campaign says, in all brands. A campaign that is not
 * due yet is left alone.
 */
export async function findMovedCampaigns(
  db: Db,
  { limit, except }: { readonly limit: number; readonly except: readonly CampaignRef[] },
): Promise<readonly CampaignRef[]> {
  const { rows } = await db.query<CampaignRef>(
    `select c.brand_id as "brandId", c.id as "campaignId" from campaigns as c
     where ${IS_MOVED} and (c.brand_id, c.id) not in (select * from unnest($2::integer[], $3::bigint[]))
     order by c.brand_id, c.id limit $1`,
    [limit, except.map(({ brandId }) => brandId), except.map(({ campaignId }) => campaignId)],
  )
  return rows
}

function hasChild(condition: string): string {
  return `exists (select from notifications as n
    where n.brand_id = c.brand_id and n.campaign_id = c.id and ${COUNTED} ${condition})`
}

/** Whether all that is not cancelled waits for its time. */
const hasOnly = `(${hasChild(`and n.state = 'scheduled'`)}
  and not ${hasChild(`and n.state not in ('scheduled', 'cancelled')`)})`

/** The notifications of the campaign `c` have come further than the campaign says. */
export const IS_MOVED = `c.state in ('scheduled', 'sending', 'deciding')
  and (c.state = 'scheduled' and c.send_at <= clock_timestamp() and ${hasChild('')} and not ${hasOnly}
    or c.state = 'sending' and ${hasChild('')}
      and not ${hasChild(`and n.state in ('scheduled', 'queued', 'sending')`)})`

/** The people who have an accepted message of a campaign on any device. A device without a person counts as one. */
export async function countReachedPeople(db: Db, { brandId, campaignId }: CampaignRef): Promise<number> {
  const { rows } = await db.query<{ people: number }>(
    `select count(distinct coalesce(s.profile_id, -d.subscription_id))::integer as people
     from notifications as n
     cross join lateral (${acceptedOfSql({ brand: 'n.brand_id', notification: 'n.id' })}) as d
     left join subscriptions as s on s.brand_id = d.brand_id and s.id = d.subscription_id
     where n.brand_id = $1 and n.campaign_id = $2 and ${COUNTED}`,
    [brandId, campaignId],
  )
  return rows[0]?.people ?? 0
}

export async function saveReachedPeople(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  people: number,
): Promise<void> {
  await tx.query('update campaigns set people_reached = $3 where brand_id = $1 and id = $2', [
    brandId,
    campaignId,
    people,
  ])
}
