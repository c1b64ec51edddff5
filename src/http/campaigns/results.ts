import type { Decision } from '../../domain/campaigns/decision.ts'
import {
  attributedBy,
  type Figure,
  groupFacts,
  receiptCounts,
  variantDevices,
} from '../../domain/campaigns/figures.ts'
import { type CampaignResult, campaignResult } from '../../domain/campaigns/results.ts'
import { parseCampaignTrial } from '../../domain/campaigns/trial-reading.ts'
import { TRIAL_LIMITS } from '../../rules/trials.ts'
import { type CampaignRef, loadCampaign } from '../../store/campaigns/campaigns.ts'
import { loadDecision } from '../../store/campaigns/decisions.ts'
import { type CampaignNotification, loadCampaignNotifications } from '../../store/campaigns/notifications.ts'
import { loadFigures } from '../../store/campaigns/results.ts'
import type { Db } from '../../store/db.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { instantOf } from '../schema/view.ts'
import { campaignRef, unknownCampaign } from './campaigns.ts'
import {
  renderAttributed,
  renderCampaignPlatforms,
  renderDecision,
  renderRate,
  renderUplift,
} from './results-view.ts'

/** GET /api/v1/campaigns/{campaign_id}/results: what the campaign brought so far. */
export async function readCampaignResults({ database, clock }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  const facts = await database.asBrand(ref.brandId, async (tx) => loadFacts(tx, ref))
  if (facts === null) return refuse(unknownCampaign())
  const { result, figures, decision, variants } = facts
  const results = {
    as_of: instantOf(clock.now()),
    people: result.people,
    held_out: result.heldOut,
    in_control: result.inControl,
    clicked: renderRate(result.clicked),
    receipts: receiptCounts(figures),
    attributed: renderAttributed(attributedBy(figures, 'all').get(''), result.people),
    uplift: renderUplift(result.uplift),
    platforms: renderCampaignPlatforms(figures, facts.notifications),
    variants: variants.map((name, place) => renderVariant(facts, { name, place })),
    decision: decision === null ? null : renderDecision(decision, variants),
  }
  return replySuccess({ results })
}

type ResultFacts = {
  readonly variants: readonly string[]
  readonly result: CampaignResult
  readonly figures: readonly Figure[]
  readonly notifications: readonly CampaignNotification[]
  readonly decision: (Decision & { readonly at: number }) | null
}

async function loadFacts(tx: Db, ref: CampaignRef): Promise<ResultFacts | null> {
  const campaign = await loadCampaign(tx, ref)
  if (campaign === null) return null
  const trial = parseCampaignTrial(campaign.document, { isJudged: false })
  if (!trial.ok) throw new Error('the variants of a stored campaign cannot be read')
  const { variants, winner } = trial.value
  const confidence = winner?.confidence ?? TRIAL_LIMITS.confidenceDefault
  const source = { kind: 'campaign', id: ref.campaignId } as const
  const figures = await loadFigures(tx, { brandId: ref.brandId, source })
  return {
    variants: variants.map(({ name }) => name),
    result: campaignResult(groupFacts(figures), confidence),
    figures,
    notifications: await loadCampaignNotifications(tx, ref.brandId, [ref.campaignId]),
    decision: await loadDecision(tx, ref),
  }
}

/** A variant that nobody was planned for has figures of nobody. */
function renderVariant(
  { result, figures }: ResultFacts,
  { name, place }: { readonly name: string; readonly place: number },
): object {
  const found = result.variants.find(({ variant }) => variant === place)
  const own = attributedBy(figures, 'variant').get(String(place))
  return {
    name,
    people: found?.people ?? 0,
    devices: variantDevices(figures).get(String(place)) ?? {},
    clicked: found === undefined ? null : renderRate(found.clicked),
    reached: found === undefined ? null : renderRate(found.reached),
    attributed: renderAttributed(own, found?.people ?? 0),
    uplift: renderUplift(found?.uplift ?? { kind: 'no_control' }),
  }
}
