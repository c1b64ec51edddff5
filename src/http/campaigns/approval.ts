import { planApproval } from '../../domain/campaigns/states.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { type Actor, actorName } from '../../domain/team/actor.ts'
import type { Warning } from '../../domain/warning.ts'
import { CAMPAIGN_REFUSED } from '../../rules/campaigns.ts'
import { lockLiveKey } from '../../store/brand/api-keys.ts'
import { type CampaignRef, lockCampaign, type StoredCampaign } from '../../store/campaigns/campaigns.ts'
import { saveApproval, withdrawApproval } from '../../store/campaigns/states.ts'
import type { Db } from '../../store/db.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery } from '../schema/schema.ts'
import { askerOf, campaignRef, replyCampaign, unknownCampaign } from './campaigns.ts'
import { LAUNCH_QUERY, startStored } from './states.ts'

/** POST /api/v1/campaigns/{campaign_id}/approve: launches a campaign that another key or member asked for. */
export async function approveCampaign(deps: Deps, request: TenantRequest): Promise<Reply> {
  const reply = await decide(deps, request, async (tx, ref, current) => {
    const asker = { ...askerOf(request), mayLaunch: true, mayApprove: true }
    const started = await startStored(deps, tx, { ref, current, asker })
    if (!started.ok) return started
    await saveApproval(tx, ref, { approvedBy: actorName(request.caller.actor), now: deps.clock.now() })
    return started
  })
  if (reply.status === 200) deps.database.notify('plan')
  return reply
}

/** POST /api/v1/campaigns/{campaign_id}/refuse: the campaign is a draft again. */
export async function refuseCampaign(deps: Deps, request: TenantRequest): Promise<Reply> {
  return decide(deps, request, async (tx, ref) => {
    await withdrawApproval(tx, ref, { reason: CAMPAIGN_REFUSED, now: deps.clock.now() })
    return accept([])
  })
}

type Decision = (tx: Db, ref: CampaignRef, current: StoredCampaign) => Promise<Result<readonly Warning[]>>

async function decide(deps: Deps, request: TenantRequest, decision: Decision): Promise<Reply> {
  const parsed = parseQuery(LAUNCH_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { version = null } = parsed.value.value
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  return deps.database.asCaller(request, async (tx) => {
    const current = await lockCampaign(tx, ref)
    if (current === null) return refuse(unknownCampaign())
    const allowed = await mayDecide(tx, { request, current, version })
    if (!allowed.ok) return refuse(allowed.rejection)
    const decided = await decision(tx, ref, current)
    return decided.ok ? replyCampaign(tx, ref, decided.value) : refuse(decided.rejection)
  })
}

type Decider = {
  readonly request: TenantRequest
  readonly current: StoredCampaign
  readonly version: number | null
}

async function mayDecide(tx: Db, { request, current, version }: Decider): Promise<Result<null>> {
  const { brandId, actor } = request.caller
  if (!(await lockLive(tx, brandId, actor))) {
    return reject(fault('unauthenticated', null, { remedy: 'The key is revoked.' }))
  }
  if (version !== null && version !== current.version) {
    return reject(fault('campaign_version', 'version', { given: version, version: current.version }))
  }
  return planApproval(current, { approver: actorName(actor) })
}

/** A key that was revoked a moment ago may still be remembered as live, so the consent looks it up again. */
async function lockLive(tx: Db, brandId: number, actor: Actor): Promise<boolean> {
  return actor.type === 'key' ? lockLiveKey(tx, { brandId, keyId: actor.keyId }) : true
}
