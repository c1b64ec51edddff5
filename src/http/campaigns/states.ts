import type { Campaign } from '../../domain/campaigns/campaign.ts'
import {
  type Asker,
  launchedState,
  planCampaignArchive,
  planCampaignState,
} from '../../domain/campaigns/states.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { checkCampaign, countCampaign } from '../../intake/campaigns/audience.ts'
import { startCampaign } from '../../intake/campaigns/launch.ts'
import { CAMPAIGN_STATES } from '../../rules/campaigns.ts'
import { type CampaignRef, lockCampaign, type StoredCampaign } from '../../store/campaigns/campaigns.ts'
import { type CampaignNotification, lockCampaignNotifications } from '../../store/campaigns/notifications.ts'
import { archiveCampaign, saveCampaignState } from '../../store/campaigns/states.ts'
import type { Db } from '../../store/db.ts'
import { cancelNotifications } from '../../store/push/cancel.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { askerOf, campaignRef, replyCampaign, unknownCampaign } from './campaigns.ts'
import { readStoredDocument } from './document.ts'

/** POST /api/v1/campaigns/{campaign_id}/launch: from now on its time decides. Saying it twice changes nothing. */
export async function launchOneCampaign(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(LAUNCH_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  const { version = null } = parsed.value.value
  const reply = await replyOnce(deps, request, async (tx) => {
    const current = await lockCampaign(tx, ref)
    if (current === null) return refuse(unknownCampaign())
    const launched = await launch(deps, tx, { ref, current, version, asker: askerOf(request) })
    return launched.ok ? replyCampaign(tx, ref, launched.value) : refuse(launched.rejection)
  })
  if (reply.status === 200) deps.database.notify('plan')
  return reply
}

export const LAUNCH_QUERY = Type.Object({
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The version that you read; another version is not launched.',
    }),
  ),
})

type Launch = {
  readonly ref: CampaignRef
  readonly current: StoredCampaign
  readonly version: number | null
  readonly asker: Asker
}

async function launch(
  deps: Deps,
  tx: Db,
  { ref, current, version, asker }: Launch,
): Promise<Result<readonly Warning[]>> {
  const { state, archivedAt } = current
  if (archivedAt !== null) {
    return reject(fault('campaign_state', null, { state: 'archived', wanted: 'launched' }))
  }
  if (version !== null && version !== current.version) {
    return reject(fault('campaign_version', 'version', { given: version, version: current.version }))
  }
  // A request for approval stays the request of the key that made it.
  if (state === 'scheduled' || state === 'awaiting_approval') return accept([])
  if (!planCampaignState(state, 'scheduled').ok) {
    return reject(fault('campaign_state', null, { state, wanted: 'launched' }))
  }
  return startStored(deps, tx, { ref, current, asker })
}

/** Starts a campaign with its stored document, and gives the warnings about it. */
export async function startStored(
  deps: Deps,
  tx: Db,
  { ref, current, asker }: Omit<Launch, 'version'>,
): Promise<Result<readonly Warning[]>> {
  const now = deps.clock.now()
  const parsed = await readStoredDocument(tx, current.document, { ...deps, now, brandId: ref.brandId })
  if (!parsed.ok) return parsed
  const { campaign } = parsed.value
  const checked = await checkCampaign(tx, ref.brandId, campaign)
  if (!checked.ok) return checked
  const counts = await countCampaign(deps.database, ref, campaign)
  const started = await startCampaign(deps.database, tx, { ref, campaign, counts, now, asker })
  if (!started.ok) return started
  const empty = counts.devices === 0 ? [warning('audience_empty', 'audience')] : []
  return accept([...(await sendingWarnings(deps, ref.brandId, campaign)), ...empty])
}

/** Warnings about channels that cannot send at present, and about a hold of the operator. */
export async function sendingWarnings(
  { pushWarnings }: Deps,
  brandId: number,
  { platforms }: Campaign,
): Promise<readonly Warning[]> {
  const warnings: Warning[] = []
  for (const platform of platforms) warnings.push(...(await pushWarnings.forChannel({ brandId, platform })))
  return [...warnings, ...(await pushWarnings.forHold())]
}

/** POST /api/v1/campaigns/{campaign_id}/cancel: in any state before it is sent. Saying it twice changes nothing. */
export async function cancelCampaign({ database, clock }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  return database.asCaller(request, async (tx) => {
    const current = await lockCampaign(tx, ref)
    if (current === null) return refuse(unknownCampaign())
    const notifications = await lockCampaignNotifications(tx, ref)
    const allowed = planCampaignState(presentState(current, notifications), 'cancelled')
    if (!allowed.ok) return refuse(allowed.rejection)
    const ids = notifications.map(({ id }) => id)
    if (ids.length > 0) await cancelNotifications(tx, { brandId: ref.brandId, ids })
    await saveCampaignState(tx, ref, { state: 'cancelled', now: clock.now() })
    return replyCampaign(tx, ref, [])
  })
}

/** The state that its notifications give it, which a loop writes to the campaign a moment later. */
function presentState(campaign: StoredCampaign, notifications: readonly CampaignNotification[]) {
  const { state } = campaign
  if (state !== 'scheduled' && state !== 'sending') return state
  const states = notifications.map((notification) => notification.state)
  const present = launchedState(states, campaign) ?? state
  return CAMPAIGN_STATES[present].length === 0 && present !== 'cancelled' ? present : state
}

/** POST /api/v1/campaigns/{campaign_id}/archive: out of the list. Saying it twice changes nothing. */
export async function archiveOneCampaign({ database, clock }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  return database.asCaller(request, async (tx) => {
    const current = await lockCampaign(tx, ref)
    if (current === null) return refuse(unknownCampaign())
    const allowed = planCampaignArchive(current.state)
    if (!allowed.ok) return refuse(allowed.rejection)
    await archiveCampaign(tx, ref, { now: clock.now() })
    return replyCampaign(tx, ref, [])
  })
}
