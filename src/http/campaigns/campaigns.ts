import { type Asker, planCampaignChange } from '../../domain/campaigns/states.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Rejection, type Result, reject } from '../../domain/result.ts'
import { actorName } from '../../domain/team/actor.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { checkCampaign, countCampaign } from '../../intake/campaigns/audience.ts'
import { startCampaign } from '../../intake/campaigns/launch.ts'
import { CAMPAIGN_LIMITS } from '../../rules/campaigns.ts'
import {
  type CampaignRef,
  changeCampaign,
  createCampaign,
  loadCampaign,
  lockCampaign,
  type StoredCampaign,
} from '../../store/campaigns/campaigns.ts'
import {
  loadCampaignNotifications,
  lockCampaignNotifications,
  replaceNotifications,
} from '../../store/campaigns/notifications.ts'
import { withdrawApproval } from '../../store/campaigns/states.ts'
import { copyCampaignUsers, countUnknownUsers, saveCampaignUsers } from '../../store/campaigns/users.ts'
import type { Db } from '../../store/db.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import {
  CAMPAIGN_RULES,
  type CampaignBody,
  changedDocument,
  type ParsedCampaign,
  parseCampaignBody,
} from './body.ts'
import { type RunWork, readCampaignDocument } from './document.ts'
import { renderCampaign } from './view.ts'

/** POST /api/v1/campaigns: a draft, until it is launched. */
export async function createOneCampaign(deps: Deps, request: TenantRequest): Promise<Reply> {
  const body = parseCampaignBody(CAMPAIGN_RULES.create, request.body)
  if (!body.ok) return refuse(body.rejection)
  const { name, tags, warnings } = body.value
  const now = deps.clock.now()
  const document = changedDocument({}, body.value.document)
  const { brandId, actor } = request.caller
  const query = { ...deps, now, isAudienceNew: true, isTrialNew: true }
  const parsed = await readCampaignDocument(document, query, {
    brandId,
    run: async (work) => deps.database.asBrand(brandId, work),
  })
  if (!parsed.ok) return refuse(parsed.rejection)

  const { campaignsMax } = CAMPAIGN_LIMITS
  const { campaign } = parsed.value
  const draft = {
    brandId,
    name: name ?? '',
    tags: tags ?? [],
    createdBy: actorName(actor),
    campaignsMax,
    now,
  }
  return replyOnce(deps, request, async (tx) => {
    const checked = await checkCampaign(tx, brandId, campaign)
    if (!checked.ok) return refuse(checked.rejection)
    const campaignId = await createCampaign(tx, { ...draft, document: storedDocument(document) })
    if (campaignId === null) return refuse(tooMany())
    const ref = { brandId, campaignId }
    await saveCampaignUsers(tx, ref, campaign.audience.userIds)
    const strangers = await userWarnings(tx, ref, parsed.value)
    return replyCampaign(tx, ref, [...warnings, ...parsed.value.warnings, ...strangers])
  })
}

/** GET /api/v1/campaigns/{campaign_id} */
export async function readCampaign({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  return database.asBrand(ref.brandId, async (tx) => replyCampaign(tx, ref, []))
}

/**
 * PATCH /api/v1/campaigns/{campaign_id}: with the version that its editor read. A campaign that is scheduled is
 * launched anew with its new document; one that awaits approval is a draft again.
 */
export async function changeOneCampaign(deps: Deps, request: TenantRequest): Promise<Reply> {
  const body = parseCampaignBody(CAMPAIGN_RULES.change, request.body)
  if (!body.ok) return refuse(body.rejection)
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  const change = { body: body.value, now: deps.clock.now(), asker: askerOf(request) }
  const reply = await deps.database.asCaller(request, async (tx) => {
    const current = await lockCampaign(tx, ref)
    if (current === null) return refuse(unknownCampaign())
    const changed = await saveChange(deps, tx, { ...change, ref, current })
    return changed.ok ? replyCampaign(tx, ref, changed.value) : refuse(changed.rejection)
  })
  if (reply.status === 200) deps.database.notify('plan')
  return reply
}

type CampaignChange = {
  readonly ref: CampaignRef
  readonly current: StoredCampaign
  readonly body: CampaignBody
  readonly now: number
  readonly asker: Asker
}

/** Writes a change of a locked campaign, and gives its warnings. */
async function saveChange(
  deps: Deps,
  tx: Db,
  { ref, current, body, now, asker }: CampaignChange,
): Promise<Result<readonly Warning[]>> {
  const allowed = planCampaignChange(current, body.version ?? 0)
  if (!allowed.ok) return allowed
  if (current.state === 'scheduled' && !asker.mayLaunch)
    return reject(fault('scope_missing', null, { scope: 'push' }))
  const isAudienceNew = Object.hasOwn(body.document, 'audience')
  const document = changedDocument(current.document, body.document)
  const query = { ...deps, now, isAudienceNew, isTrialNew: true }
  const inBrand = { brandId: ref.brandId, run: async (work: RunWork) => work(tx) }
  const parsed = await readCampaignDocument(document, query, inBrand)
  if (!parsed.ok) return parsed
  const { campaign } = parsed.value
  const checked = await checkCampaign(tx, ref.brandId, campaign)
  if (!checked.ok) return checked
  const isScheduled = current.state === 'scheduled' && Object.keys(body.document).length > 0
  if (isScheduled) {
    const replaced = await replaceScheduled(tx, ref)
    if (!replaced.ok) return replaced
  }

  const { name, tags } = body
  await changeCampaign(tx, ref, { name, tags, document: storedDocument(document), now })
  if (isAudienceNew) await saveCampaignUsers(tx, ref, campaign.audience.userIds)
  if (current.state === 'awaiting_approval') await withdrawApproval(tx, ref, { reason: null, now })
  if (isScheduled) {
    // A list of people that was just written is visible in this transaction alone.
    const counter = isAudienceNew && campaign.audience.userIds !== null ? tx : deps.database
    const counts = await countCampaign(counter, ref, campaign)
    const launched = await startCampaign(deps.database, tx, { ref, campaign, counts, now, asker })
    if (!launched.ok) return launched
  }
  const strangers = isAudienceNew ? await userWarnings(tx, ref, parsed.value) : []
  return accept([...body.warnings, ...parsed.value.warnings, ...strangers])
}

/** Cancels the notifications of a scheduled campaign; refused as soon as the planner has taken one of them. */
async function replaceScheduled(tx: Db, ref: CampaignRef): Promise<Result<null>> {
  const notifications = await lockCampaignNotifications(tx, ref)
  const isUnderWay = notifications.some(({ state }) => state !== 'scheduled' && state !== 'cancelled')
  if (isUnderWay) return reject(fault('campaign_state', null, { state: 'sending', wanted: 'changed' }))
  await replaceNotifications(
    tx,
    ref.brandId,
    notifications.map(({ id }) => id),
  )
  return accept(null)
}

/** POST /api/v1/campaigns/{campaign_id}/duplicate: a draft with the same document. */
export async function duplicateCampaign(deps: Deps, request: TenantRequest): Promise<Reply> {
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  const { brandId, actor } = request.caller
  const { campaignsMax } = CAMPAIGN_LIMITS
  return replyOnce(deps, request, async (tx) => {
    const original = await loadCampaign(tx, ref)
    if (original === null) return refuse(unknownCampaign())
    const { tags, document } = original
    const name = copyName(original.name)
    const draft = {
      brandId,
      name,
      tags,
      document,
      createdBy: actorName(actor),
      campaignsMax,
      now: deps.clock.now(),
    }
    const campaignId = await createCampaign(tx, draft)
    if (campaignId === null) return refuse(tooMany())
    await copyCampaignUsers(tx, { brandId, campaignId }, { from: ref.campaignId })
    return replyCampaign(tx, { brandId, campaignId }, [])
  })
}

function copyName(name: string): string {
  const suffix = ' (copy)'
  return `${Array.from(name)
    .slice(0, CAMPAIGN_LIMITS.nameCharsMax - suffix.length)
    .join('')}${suffix}`
}

/** The document as it is stored: a list of people has a table of its own, and only its key stays. */
function storedDocument(document: JsonObject): JsonObject {
  const { audience } = document
  if (!isJsonObject(audience) || !Object.hasOwn(audience, 'users')) return document
  return { ...document, audience: { ...audience, users: [] } }
}

async function userWarnings(
  tx: Db,
  ref: CampaignRef,
  { campaign }: ParsedCampaign,
): Promise<readonly Warning[]> {
  if (campaign.audience.userIds === null) return []
  const count = await countUnknownUsers(tx, ref)
  return count === 0 ? [] : [warning('unknown_users', 'audience.users', { count: String(count) })]
}

/** The campaign as it is now. */
export async function replyCampaign(tx: Db, ref: CampaignRef, warnings: readonly Warning[]): Promise<Reply> {
  const campaign = await loadCampaign(tx, ref)
  if (campaign === null) return refuse(unknownCampaign())
  const notifications = await loadCampaignNotifications(tx, ref.brandId, [ref.campaignId])
  return replySuccess({ campaign: renderCampaign(campaign, notifications) }, { warnings })
}

/** The author of a request, and whether it may launch without the consent of another. */
export function askerOf({ caller: { actor, scopes } }: TenantRequest): Asker {
  return {
    requestedBy: actorName(actor),
    mayLaunch: scopes.includes('push'),
    mayApprove: scopes.includes('approve'),
  }
}

export function campaignRef(request: TenantRequest): CampaignRef | null {
  const campaignId = parseInt64(param(request, 'campaign_id'))
  return campaignId === null ? null : { brandId: request.caller.brandId, campaignId }
}

export function unknownCampaign(): Rejection {
  return { faults: [fault('campaign_not_found', 'campaign_id')] }
}

function tooMany(): Rejection {
  return { faults: [fault('too_many_campaigns', null, { max: CAMPAIGN_LIMITS.campaignsMax })] }
}
