import type { Campaign } from '../../domain/campaigns/campaign.ts'
import { type CampaignReachCounts, campaignDrafts, launchSchedule } from '../../domain/campaigns/launch.ts'
import { type Asker, launchedState, planConsent } from '../../domain/campaigns/states.ts'
import { firstTrial } from '../../domain/campaigns/trial.ts'
import { planSchedule, type Schedule } from '../../domain/push/schedule.ts'
import { accept, type Result } from '../../domain/result.ts'
import type { CampaignState } from '../../rules/campaigns.ts'
import { loadApprovalAbove, loadControlPercent } from '../../store/brand/brands.ts'
import type { CampaignRef } from '../../store/campaigns/campaigns.ts'
import { GOAL_READER } from '../../store/campaigns/goals.ts'
import { saveApprovalRequest, saveLaunch } from '../../store/campaigns/states.ts'
import type { Database, Db } from '../../store/db.ts'
import { ensureReadersNow } from '../../store/events/readers.ts'
import { acceptPushes } from '../push/accept.ts'

export type CampaignStart = {
  readonly ref: CampaignRef
  readonly campaign: Campaign
  readonly counts: CampaignReachCounts
  readonly now: number
}

/** When a campaign that is launched now begins to send. */
export function scheduleCampaign({ timing, undoSeconds }: Campaign, now: number): Result<Schedule> {
  const schedule = planSchedule(timing, now)
  return schedule.ok ? accept(launchSchedule(schedule.value, { now, undoSeconds })) : schedule
}

/** Launches a locked campaign, or asks for the consent of another key or member first if the brand demands that. */
export async function startCampaign(
  database: Database,
  tx: Db,
  start: CampaignStart & { readonly asker: Asker },
): Promise<Result<CampaignState>> {
  const { ref, campaign, counts, now, asker } = start
  const approvalAbove = await loadApprovalAbove(tx, ref.brandId)
  const { people } = counts
  if (planConsent({ people, approvalAbove, asker }) === 'launch') {
    return launchCampaign(database, tx, start)
  }
  const schedule = scheduleCampaign(campaign, now)
  if (!schedule.ok) return schedule
  await saveApprovalRequest(tx, ref, { requestedBy: asker.requestedBy, people, now })
  return accept('awaiting_approval')
}

/**
 * Launches a locked campaign: one notification for each platform, all in the caller's transaction, by the one way into
 * the push lane. Gives the state that the campaign has then.
 */
export async function launchCampaign(
  database: Database,
  tx: Db,
  { ref, campaign, counts, now }: CampaignStart,
): Promise<Result<CampaignState>> {
  const { brandId, campaignId } = ref
  const schedule = scheduleCampaign(campaign, now)
  if (!schedule.ok) return schedule
  const { goal, winner } = campaign.trial
  const trial = firstTrial(campaign.trial, await loadControlPercent(tx, brandId))
  // The reader's place must stand before the first event that may count; only the engine may make it.
  if (goal !== null) await ensureReadersNow(database, brandId, [GOAL_READER])
  const origin = { campaignId, isTest: false, trial }
  const pushes = campaignDrafts(campaign, counts).map((draft) => {
    return { brandId, draft, schedule: schedule.value, warnings: [], now, journey: null, campaign: origin }
  })
  const outcomes = await acceptPushes(database, tx, brandId, pushes)
  const refused = outcomes.find((outcome) => !outcome.ok)
  if (refused?.ok === false) return refused
  const state = launchedState(
    outcomes.flatMap((one) => (one.ok ? [one.value.plan.state] : [])),
    { isUndecided: winner !== null },
  )
  if (state === null) throw new Error('a campaign was launched without a notification')
  const { sendAt, lastAt } = schedule.value
  await saveLaunch(tx, ref, {
    state,
    people: counts.people,
    sendAt,
    now,
    goalEvent: goal?.match.event ?? null,
    decideAt: winner === null ? null : lastAt + winner.afterHours * HOUR_MS,
  })
  return accept(state)
}

const HOUR_MS = 3_600_000
