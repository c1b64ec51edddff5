import type { Campaign } from '../../domain/campaigns/campaign.ts'
import { isLetThrough } from '../../domain/push/checks.ts'
import type { Warning } from '../../domain/warning.ts'
import { checkCampaign } from '../../intake/campaigns/audience.ts'
import { explainDraft } from '../../intake/campaigns/explain.ts'
import { scheduleCampaign } from '../../intake/campaigns/launch.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'
import type { Deps } from '../deps.ts'
import { CHECK, renderCheck } from '../push/checks-view.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { CAMPAIGN_RULES, changedDocument, parseCampaignBody } from './body.ts'
import { askerOf, campaignRef, unknownCampaign } from './campaigns.ts'
import { readCampaignDocument } from './document.ts'
import { loadStoredCampaign } from './stored.ts'

/** POST /api/v1/campaigns/explain: would this person get it? The campaign is not stored. */
export async function explainDocument(deps: Deps, request: TenantRequest): Promise<Reply> {
  const body = parseCampaignBody(CAMPAIGN_RULES.explain, request.body)
  if (!body.ok) return refuse(body.rejection)
  const { userId, warnings } = body.value
  const { brandId } = request.caller
  const document = changedDocument({}, body.value.document)
  const query = { ...deps, now: deps.clock.now(), isAudienceNew: true, isTrialNew: true }
  const parsed = await readCampaignDocument(document, query, {
    brandId,
    run: async (work) => deps.database.asBrand(brandId, work),
  })
  if (!parsed.ok) return refuse(parsed.rejection)
  const { campaign } = parsed.value
  const checked = await deps.database.asBrand(brandId, async (tx) => checkCampaign(tx, brandId, campaign))
  if (!checked.ok) return refuse(checked.rejection)
  const notes = [...warnings, ...parsed.value.warnings]
  return replyChecks(deps, request, { campaignId: null, campaign, userId: userId ?? '', warnings: notes })
}

/** POST /api/v1/campaigns/{campaign_id}/explain: the same for a stored campaign, as if it was launched now. */
export async function explainStored(deps: Deps, request: TenantRequest): Promise<Reply> {
  const asked = parseQuery(CAMPAIGN_EXPLAIN_QUERY, request.query)
  if (!asked.ok) return refuse(asked.rejection)
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  const parsed = await loadStoredCampaign(deps, ref, deps.clock.now())
  if (parsed === null) return refuse(unknownCampaign())
  if (!parsed.ok) return refuse(parsed.rejection)
  const { campaign, warnings } = parsed.value
  const { campaignId } = ref
  return replyChecks(deps, request, { campaignId, campaign, userId: asked.value.value.user_id, warnings })
}

type Explained = {
  readonly campaignId: bigint | null
  readonly campaign: Campaign
  readonly userId: string
  readonly warnings: readonly Warning[]
}

async function replyChecks(deps: Deps, request: TenantRequest, explained: Explained): Promise<Reply> {
  const { campaignId, campaign, userId, warnings } = explained
  const now = deps.clock.now()
  const schedule = scheduleCampaign(campaign, now)
  if (!schedule.ok) return refuse(schedule.rejection)
  const { brandId } = request.caller
  const about = { brandId, campaignId, campaign, schedule: schedule.value, userId, now }
  const checks = await explainDraft(deps, { ...about, asker: launcherOf(request) })
  const fields = { user_id: userId, would_reach: isLetThrough(checks), checks: checks.map(renderCheck) }
  return replySuccess({ explanation: fields }, { processed: 0, warnings })
}

/** A reader who may neither launch nor draft is told what holds for somebody who may launch. */
function launcherOf(request: TenantRequest) {
  const asker = askerOf(request)
  const isReader = !asker.mayLaunch && !request.caller.scopes.includes('draft')
  return isReader ? { ...asker, mayLaunch: true } : asker
}

export const CAMPAIGN_EXPLAIN_QUERY = Type.Object({
  user_id: Type.String({
    minLength: 1,
    maxLength: PUSH_LIMITS.identifierCharsMax,
    description: 'The person whom the question is about.',
  }),
})

export const CAMPAIGN_EXPLANATION = Type.Object({
  explanation: Type.Object({
    user_id: Type.String(),
    would_reach: Type.Boolean({
      description:
        'Whether the message would reach the person if the campaign was launched now: no check failed.',
    }),
    checks: Type.Array(CHECK, { description: 'In the order in which they are asked.' }),
  }),
})
