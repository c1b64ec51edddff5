import type { Content } from '../../domain/push/message.ts'
import { accept, type Result } from '../../domain/result.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { audienceQueryOf, checkAudience, countCampaign } from '../../intake/campaigns/audience.ts'
import { countBestHours } from '../../intake/campaigns/best-hours.ts'
import { scheduleCampaign } from '../../intake/campaigns/launch.ts'
import { type CampaignRef, loadCampaign } from '../../store/campaigns/campaigns.ts'
import { loadSampleRecipient } from '../../store/push/recipients.ts'
import type { Deps } from '../deps.ts'
import { renderSample, templateWarnings } from '../push/dry-run.ts'
import { type Sample, sampleLanguages } from '../push/language-samples.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { instantOf } from '../schema/view.ts'
import type { ParsedCampaign } from './body.ts'
import { campaignRef, unknownCampaign } from './campaigns.ts'
import { readStoredDocument } from './document.ts'
import { sendingWarnings } from './states.ts'
import { renderBestHours } from './view.ts'

/**
 * POST /api/v1/campaigns/{campaign_id}/dry_run: whom it would reach now, and what the first of them would get on each
 * platform. Nothing is stored or sent.
 */
export async function dryRunCampaign(deps: Deps, request: TenantRequest): Promise<Reply> {
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  const now = deps.clock.now()
  const parsed = await loadParsed(deps, ref, now)
  if (parsed === null) return refuse(unknownCampaign())
  if (!parsed.ok) return refuse(parsed.rejection)
  const { campaign, warnings } = parsed.value
  const schedule = scheduleCampaign(campaign, now)
  if (!schedule.ok) return refuse(schedule.rejection)

  const counts = await countCampaign(deps.database, ref, campaign)
  const query = await audienceQueryOf(deps.database, ref, campaign)
  const notes: Warning[] = [...warnings, ...(await sendingWarnings(deps, ref.brandId, campaign))]
  const platforms: Record<string, object> = {}
  for (const [platform, content] of campaign.contents) {
    const recipient = await loadSampleRecipient(deps.database, { ...query, platform }, null)
    const { callerNotificationId } = campaign
    const alternatives = campaign.alternatives.get(platform) ?? null
    const draft = { platform, content, alternatives, callerNotificationId }
    const render = (own: Content): Sample =>
      renderSample(deps, { draft: { ...draft, content: own }, now }, recipient)
    const question = { query: { ...query, platform }, ids: null, draft, recipient }
    const samples = await sampleLanguages(deps, question, render)
    const { payload, flaws } = render(samples.content)
    const { people, devices } = counts.platforms.get(platform) ?? NOBODY
    platforms[platform] = { people, devices, payload, ...samples.fields }
    notes.push(...flaws, ...samples.flaws, ...(await templateWarnings(deps, ref.brandId, draft)))
  }
  if (counts.devices === 0) notes.push(warning('audience_empty', 'audience'))
  const hours = await countBestHours(deps.database, campaign, { query, schedule: schedule.value })
  const { people, devices } = counts
  const fields = {
    dry_run: true,
    people,
    devices,
    send_at: instantOf(schedule.value.sendAt),
    ...(hours === null ? {} : { best_hour: renderBestHours(hours) }),
    platforms,
  }
  return replySuccess(fields, { processed: 0, warnings: once(notes) })
}

const NOBODY = { people: 0, devices: 0 } as const

/** The stored campaign, read and with its references checked; null when there is none. */
async function loadParsed(deps: Deps, ref: CampaignRef, now: number): Promise<Result<ParsedCampaign> | null> {
  return deps.database.asBrand(ref.brandId, async (tx) => {
    const stored = await loadCampaign(tx, ref)
    if (stored === null) return null
    const parsed = await readStoredDocument(tx, stored.document, { ...deps, now, brandId: ref.brandId })
    if (!parsed.ok) return parsed
    const checked = await checkAudience(tx, ref.brandId, parsed.value.campaign)
    return checked.ok ? accept(parsed.value) : checked
  })
}

/** The platforms share their fields, so each warning is given once. */
function once(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((one) => [`${one.code} ${one.field} ${one.message}`, one])).values()]
}
