import type { Db } from '../db.ts'
import type { CampaignRef } from './campaigns.ts'

/** Replaces the list of people of a campaign; null is a campaign without one. */
export async function saveCampaignUsers(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  userIds: readonly string[] | null,
): Promise<void> {
  await tx.query('delete from campaign_users where brand_id = $1 and campaign_id = $2', [brandId, campaignId])
  if (userIds === null || userIds.length === 0) return
  await tx.query(
    `insert into campaign_users (brand_id, campaign_id, user_id)
     select distinct $1::integer, $2::bigint, user_id from unnest($3::text[]) as given (user_id)`,
    [brandId, campaignId, userIds],
  )
}

/** Gives one campaign the list of another. */
export async function copyCampaignUsers(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  { from }: { readonly from: bigint },
): Promise<void> {
  await tx.query(
    `insert into campaign_users (brand_id, campaign_id, user_id)
     select brand_id, $2, user_id from campaign_users where brand_id = $1 and campaign_id = $3`,
    [brandId, campaignId, from],
  )
}

/** How many of the listed people are unknown at present. */
export async function countUnknownUsers(db: Db, { brandId, campaignId }: CampaignRef): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from campaign_users as u
     where u.brand_id = $1 and u.campaign_id = $2 and not exists (select from profile_identities as i
       where i.brand_id = u.brand_id and i.kind = 'user_id' and i.value = u.user_id)`,
    [brandId, campaignId],
  )
  return rows[0]?.count ?? 0
}
