import { decideWinner } from '../../domain/campaigns/decision.ts'
import { groupFacts } from '../../domain/campaigns/figures.ts'
import { parseCampaignTrial } from '../../domain/campaigns/trial-reading.ts'
import { BackoffList } from '../../runtime/loop/backoff-list.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import type { CampaignRef } from '../../store/campaigns/campaigns.ts'
import { findDecisions, lockUndecided, saveDecision } from '../../store/campaigns/decisions.ts'
import { loadFigures } from '../../store/campaigns/results.ts'
import type { Database } from '../../store/db.ts'
import { loadMoment } from '../../store/push/planning.ts'

/** Compares the variants of campaigns whose time has come, also of those whose time passed while no worker ran. */
export async function runDecisions(
  { database }: { readonly database: Database },
  context: LoopContext,
): Promise<void> {
  const failed = new BackoffList<CampaignRef>({
    nameOf: ({ brandId, campaignId }) => `campaign ${campaignId} of brand ${brandId}`,
  })
  await runLoop(
    {
      name: 'campaign-decisions',
      claim: async (limit) => findDecisions(database, { now: null, limit }),
      failed,
      work: async (ref) => {
        await decideCampaign(database, ref)
        database.notify('plan')
      },
      settle: async () => undefined,
      lease: null,
      concurrency: 1,
      idle: { minMs: 500, maxMs: 5_000 },
      wakeOn: 'campaigns',
    },
    context,
  )
}

/** Looks at the variants of one campaign, once, and sends the rest of its audience the better one. */
export async function decideCampaign(
  database: Database,
  ref: CampaignRef,
  given: { readonly now?: number } = {},
): Promise<void> {
  await database.asEngine(async (tx) => {
    const document = await lockUndecided(tx, ref)
    if (document === null) return
    const trial = parseCampaignTrial(document, { isJudged: false })
    if (!trial.ok || trial.value.winner === null) throw new Error('a stored campaign has no winner to decide')
    const { brandId, campaignId } = ref
    const figures = await loadFigures(tx, { brandId, source: { kind: 'campaign', id: campaignId } })
    const facts = groupFacts(figures)
    const at = given.now ?? (await loadMoment(tx))
    await saveDecision(tx, ref, { ...decideWinner(trial.value, trial.value.winner, facts), at })
  })
}
