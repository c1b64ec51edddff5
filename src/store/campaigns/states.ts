import type { CampaignState } from '../../rules/campaigns.ts'
import type { Db } from '../db.ts'
import type { CampaignRef } from './campaigns.ts'

/** The facts of a launch that are written with it. */
export type CampaignLaunch = {
  readonly state: CampaignState
  readonly people: number
  readonly sendAt: number
  readonly now: number
  /** The name of the event that is its goal; null when it has none. */
  readonly goalEvent: string | null
  /** When its variants are compared; null when they are not. */
  readonly decideAt: number | null
}

/** Writes the launch of a locked campaign. */
export async function saveLaunch(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  { state, people, sendAt, now, goalEvent, decideAt }: CampaignLaunch,
): Promise<void> {
  await tx.query(
    `update campaigns set state = $3, reason = null, people = $4, send_at = $5, launched_at = $6, updated_at = $6,
       goal_event = $7, decide_at = $8
     where brand_id = $1 and id = $2`,
    [
      brandId,
      campaignId,
      state,
      people,
      new Date(sendAt),
      new Date(now),
      goalEvent,
      decideAt === null ? null : new Date(decideAt),
    ],
  )
}

/** Writes that a locked campaign waits for the consent of another key or member. */
export async function saveApprovalRequest(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  {
    requestedBy,
    people,
    now,
  }: { readonly requestedBy: string; readonly people: number; readonly now: number },
): Promise<void> {
  await tx.query(
    `update campaigns set state = 'awaiting_approval', reason = null, people = $3, requested_by = $4,
       requested_at = $5, approved_by = null, approved_at = null, send_at = null, launched_at = null, updated_at = $5
     where brand_id = $1 and id = $2`,
    [brandId, campaignId, people, requestedBy, new Date(now)],
  )
}

/** Writes who consented to a locked campaign. */
export async function saveApproval(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  { approvedBy, now }: { readonly approvedBy: string; readonly now: number },
): Promise<void> {
  await tx.query('update campaigns set approved_by = $3, approved_at = $4 where brand_id = $1 and id = $2', [
    brandId,
    campaignId,
    approvedBy,
    new Date(now),
  ])
}

/** Makes a locked campaign that waits for consent a draft again; `reason` says why, null when it was changed. */
export async function withdrawApproval(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  { reason, now }: { readonly reason: string | null; readonly now: number },
): Promise<void> {
  await tx.query(
    `update campaigns set state = 'draft', reason = $3, requested_by = null, requested_at = null, approved_by = null,
       approved_at = null, updated_at = $4
     where brand_id = $1 and id = $2`,
    [brandId, campaignId, reason, new Date(now)],
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
