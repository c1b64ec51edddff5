import type { Campaign } from '../../domain/campaigns/campaign.ts'
import { fault } from '../../domain/fault.ts'
import { type Alternatives, contentIn, onlyVariant } from '../../domain/push/alternatives.ts'
import type { Content } from '../../domain/push/message.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { audienceQueryOf, countCampaign } from '../../intake/campaigns/audience.ts'
import { countBestHours } from '../../intake/campaigns/best-hours.ts'
import { scheduleCampaign } from '../../intake/campaigns/launch.ts'
import { unknownVariant } from '../../intake/campaigns/test-send.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { AudienceQuery } from '../../store/push/audience-sql.ts'
import { countLeftOut } from '../../store/push/left-out.ts'
import type { Deps } from '../deps.ts'
import { loadSampleOf, renderSample, templateWarnings } from '../push/dry-run.ts'
import { type Sample, sampleLanguages } from '../push/language-samples.ts'
import { renderShown } from '../push/shown.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery } from '../schema/schema.ts'
import { instantOf } from '../schema/view.ts'
import { campaignRef, unknownCampaign } from './campaigns.ts'
import { DRY_RUN_QUERY, type DryRunWishes, renderLeftOut } from './dry-run-view.ts'
import { sendingWarnings } from './states.ts'
import { loadStoredCampaign } from './stored.ts'
import { renderBestHours } from './view.ts'

/**
 * POST /api/v1/campaigns/{campaign_id}/dry_run: whom it would reach now, and what the first of them, or a named person,
 * would get on each platform. Nothing is stored or sent.
 */
export async function dryRunCampaign(deps: Deps, request: TenantRequest): Promise<Reply> {
  const asked = parseQuery(DRY_RUN_QUERY, request.query)
  if (!asked.ok) return refuse(asked.rejection)
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  const now = deps.clock.now()
  const parsed = await loadStoredCampaign(deps, ref, now)
  if (parsed === null) return refuse(unknownCampaign())
  if (!parsed.ok) return refuse(parsed.rejection)
  const { campaign, warnings } = parsed.value
  const schedule = scheduleCampaign(campaign, now)
  if (!schedule.ok) return refuse(schedule.rejection)

  const counts = await countCampaign(deps.database, ref, campaign)
  const query = await audienceQueryOf(deps.database, ref, campaign)
  const notes: Warning[] = [...warnings, ...(await sendingWarnings(deps, ref.brandId, campaign))]
  const platforms: Record<string, object> = {}
  for (const platform of campaign.contents.keys()) {
    const sampled = await samplePlatform(deps, { campaign, query, platform, wishes: asked.value.value, now })
    if (!sampled.ok) return refuse(sampled.rejection)
    platforms[platform] = { ...(counts.platforms.get(platform) ?? NOBODY), ...sampled.value.fields }
    notes.push(...sampled.value.flaws)
  }
  if (counts.devices === 0) notes.push(warning('audience_empty', 'audience'))
  const hours = await countBestHours(deps.database, campaign, { query, schedule: schedule.value })
  const { topic, ignoresCap } = campaign
  const leftOut = await countLeftOut(deps.database, { query, topic, ignoresCap, now })
  const { people, devices } = counts
  const fields = {
    dry_run: true,
    people,
    devices,
    left_out: renderLeftOut(leftOut),
    send_at: instantOf(schedule.value.sendAt),
    ...(hours === null ? {} : { best_hour: renderBestHours(hours) }),
    platforms,
  }
  return replySuccess(fields, { processed: 0, warnings: once(notes) })
}

const NOBODY = { people: 0, devices: 0 } as const

type PlatformQuestion = {
  readonly campaign: Campaign
  readonly query: AudienceQuery
  readonly platform: Platform
  readonly wishes: DryRunWishes
  readonly now: number
}

type PlatformSample = { readonly fields: object; readonly flaws: readonly Warning[] }

/** The message of one platform, for the person, the language and the variant that were asked for. */
async function samplePlatform(deps: Deps, question: PlatformQuestion): Promise<Result<PlatformSample>> {
  const { campaign, platform, wishes, now } = question
  const query = { ...question.query, platform }
  const contents = contentsOf(campaign, platform, wishes)
  if (!contents.ok) return contents
  const recipient = await loadSampleOf(deps, query, wishes.user_id ?? null)
  if (recipient === null && wishes.user_id !== undefined) {
    return reject(fault('profile_not_found', 'user_id'))
  }
  const draft = { platform, ...contents.value, callerNotificationId: campaign.callerNotificationId }
  const render = (own: Content): Sample =>
    renderSample(deps, { draft: { ...draft, content: own }, now }, recipient)
  const samples = await sampleLanguages(deps, { query, ids: null, draft, recipient }, render)
  const isAsked = wishes.language !== undefined && draft.alternatives?.languages.includes(wishes.language)
  const language = isAsked === true ? wishes.language : samples.language
  const own = wishes.language === undefined ? samples.content : contentIn(draft, wishes.language)
  const { payload, message, flaws } = render(own)
  const names = await templateWarnings(deps, query.brandId, draft)
  return accept({
    fields: { payload, shown: renderShown(message), language, ...samples.fields },
    flaws: [...flaws, ...samples.flaws, ...names],
  })
}

type Contents = { readonly content: Content; readonly alternatives: Alternatives | null }

function contentsOf(
  { contents, alternatives, trial }: Campaign,
  platform: Platform,
  { variant }: DryRunWishes,
): Result<Contents> {
  const content = contents.get(platform)
  if (content === undefined) throw new Error('a campaign has a platform without a content')
  const whole = { content, alternatives: alternatives.get(platform) ?? null }
  if (variant === undefined) return accept(whole)
  const names = trial.variants.map(({ name }) => name)
  const place = names.indexOf(variant)
  return place === -1 ? reject(unknownVariant(names)) : accept(onlyVariant(whole, place))
}

/** The platforms share their fields, so each warning is given once. */
function once(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((one) => [`${one.code} ${one.field} ${one.message}`, one])).values()]
}
