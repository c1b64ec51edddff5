import type { CampaignState } from '../../rules/campaigns.ts'
import type { Db } from '../db.ts'
import type { CampaignRef } from './campaigns.ts'

/** The facts of a launch that are written with it. */
export type CampaignLaunch = {
  readonly state: CampaignState
  readonly people: number
  readonly sendAt: number
  readonly now: number
}

/** Writes the launch of a locked campaign. */
export async function saveLaunch(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  { state, people, sendAt, now }: CampaignLaunch,
): Promise<void> {
  await tx.query(
    `update campaigns set state = $3, reason = null, people = $4, send_at = $5, launched_at = $6, updated_at = $6
     where brand_id = $1 and id = $2`,
    [brandId, campaignId, state, people, new Date(sendAt), new Date(now)],
  )
}

/** Sets the state of a locked campaign; a final state is its end. */
export async function saveCampaignState(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  { state, now }: { readonly state: CampaignState; readonly now: number },
): Promise<void> {
  await tx.query(
    `update campaigns set state = $3, updated_at = $4,
       finished_at = case when $3 in ('sent', 'failed', 'cancelled') then coalesce(finished_at, $4) end
     where brand_id = $1 and id = $2`,
    [brandId, campaignId, state, new Date(now)],
  )
}

export async function archiveCampaign(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  { now }: { readonly now: number },
): Promise<void> {
  await tx.query(
    `update campaigns set archived_at = coalesce(archived_at, $3) where brand_id = $1 and id = $2`,
    [brandId, campaignId, new Date(now)],
  )
}
