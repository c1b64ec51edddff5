import { launchedState } from '../../domain/campaigns/states.ts'
import { CAMPAIGN_STATES } from '../../rules/campaigns.ts'
import { BackoffList } from '../../runtime/loop/backoff-list.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import { type CampaignRef, lockCampaign } from '../../store/campaigns/campaigns.ts'
import { loadCampaignNotifications } from '../../store/campaigns/notifications.ts'
import { saveCampaignState } from '../../store/campaigns/states.ts'
import { countReachedPeople, findMovedCampaigns, saveReachedPeople } from '../../store/campaigns/work.ts'
import type { Database } from '../../store/db.ts'
import { loadMoment } from '../../store/push/planning.ts'

/** Moves launched campaigns from state to state, as their notifications do. */
export async function runCampaignStates(
  { database }: { readonly database: Database },
  context: LoopContext,
): Promise<void> {
  const failed = new BackoffList<CampaignRef>({
    nameOf: ({ brandId, campaignId }) => `campaign ${campaignId} of brand ${brandId}`,
  })
  await runLoop(
    {
      name: 'campaign-states',
      claim: async (limit) => findMovedCampaigns(database, { limit, except: failed.waiting() }),
      failed,
      work: async (ref) => {
        await moveCampaign(database, ref)
        // A campaign that is sent has its goal swept.
        database.notify('campaigns')
      },
      settle: async () => undefined,
      lease: null,
      concurrency: 2,
      idle: { minMs: 100, maxMs: 1_000 },
      wakeOn: 'campaigns',
    },
    context,
  )
}

/**
 * Gives a launched campaign the state of its notifications, in one transaction that locks it. With a final state the
 * people who were reached are counted.
 */
export async function moveCampaign(database: Database, ref: CampaignRef): Promise<void> {
  await database.asEngine(async (tx) => {
    const campaign = await lockCampaign(tx, ref)
    if (campaign === null || (campaign.state !== 'scheduled' && campaign.state !== 'sending')) return
    const notifications = await loadCampaignNotifications(tx, ref.brandId, [ref.campaignId])
    const states = notifications.map((notification) => notification.state)
    const state = launchedState(states, campaign)
    if (state === null || state === campaign.state) return
    await saveCampaignState(tx, ref, { state, now: await loadMoment(tx) })
    if (CAMPAIGN_STATES[state].length > 0) return
    await saveReachedPeople(tx, ref, await countReachedPeople(tx, ref))
  })
}
