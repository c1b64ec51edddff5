import { fault } from '../../domain/fault.ts'
import { type ExplainedPath, explainInsider, explainOutsider } from '../../domain/journeys/explanation.ts'
import type { Journey } from '../../domain/journeys/plan.ts'
import { readStoredJourney } from '../../domain/journeys/stored-journey.ts'
import { sentChecks } from '../../domain/push/checks.ts'
import {
  type Explained,
  explainNotification,
  type NotificationFacts,
  type StoredFacts,
} from '../../domain/push/explanation.ts'
import { type Explanation, explanation } from '../../domain/push/explanation-text.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { isUuid } from '../../domain/values/uuid.ts'
import { loadApprovalAbove } from '../../store/brand/brands.ts'
import { loadCampaign, type StoredCampaign } from '../../store/campaigns/campaigns.ts'
import { loadCampaignNotifications } from '../../store/campaigns/notifications.ts'
import type { JourneyRef } from '../../store/journeys/enrolments.ts'
import { loadJourneySends, loadNotificationFacts, loadTriggers } from '../../store/journeys/explaining.ts'
import { loadJourney, type StoredJourney } from '../../store/journeys/journeys.ts'
import { type EnrolmentReport, findProfileId, listEnrolments } from '../../store/journeys/reads.ts'
import type { Deps } from '../deps.ts'
import { renderCheck } from '../push/checks-view.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { unknownJourney } from './journeys.ts'

/** GET /api/v1/explain: why did this person get it, or not? */
export async function explain(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(EXPLAIN_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { user_id: userId, notification, campaign, journey } = parsed.value.value
  const named = [notification, campaign, journey].filter((id) => id !== undefined)
  if (named.length !== 1) {
    const detail = 'name a notification, a campaign or a journey'
    return refuse({ faults: [fault('field_conflict', 'notification', { detail })] })
  }
  const { brandId } = request.caller
  const person = await findProfileId(deps.database, { brandId, userId })
  if (person === null) return refuse({ faults: [fault('profile_not_found', 'user_id')] })
  const who = { brandId, userId, profileId: person.id }
  if (notification !== undefined) return explainOne(deps, { ...who, id: notification })
  if (campaign !== undefined) return explainCampaign(deps, { ...who, id: campaign })
  return explainJourney(deps, { ...who, id: journey ?? '' })
}

type Question = {
  readonly brandId: number
  readonly userId: string
  readonly profileId: bigint
  readonly id: string
}

async function explainOne(deps: Deps, question: Question): Promise<Reply> {
  const { userId, id } = question
  const found = isUuid(id) ? await explainedOf(deps, question) : null
  if (found === null) return refuse({ faults: [fault('notification_not_found', 'notification')] })
  const { isReached, reasons } = found
  const checks = sentChecks(reasons, { isCampaign: false }).map(renderCheck)
  const fields = { user_id: userId, notification: id, is_reached: isReached, reasons, checks }
  return replySuccess({ explanation: fields })
}

/** Null when there is no such notification. */
async function explainedOf(deps: Deps, { brandId, profileId, id }: Question): Promise<Explained | null> {
  const now = deps.clock.now()
  const stored = await loadNotificationFacts(deps.database, { brandId, id, profileId, now })
  return stored === null ? null : explainNotification(await withObstacle(deps, brandId, stored))
}

/** A campaign is explained by its notifications on all platforms; before its launch, by its state. */
async function explainCampaign(deps: Deps, question: Question): Promise<Reply> {
  const { brandId, userId, id } = question
  const campaignId = parseInt64(id)
  const ref = campaignId === null ? null : { brandId, campaignId }
  const campaign = ref === null ? null : await loadCampaign(deps.database, ref)
  if (ref === null || campaign === null) {
    return refuse({ faults: [fault('campaign_not_found', 'campaign')] })
  }
  const parts = await loadCampaignNotifications(deps.database, brandId, [ref.campaignId])
  const found: Explained[] = []
  for (const part of parts) {
    const explained = await explainedOf(deps, { ...question, id: part.id })
    if (explained !== null) found.push(explained)
  }
  const reasons =
    parts.length === 0 ? [await explainState(deps, brandId, campaign)] : found.flatMap((one) => one.reasons)
  const isReached = found.some((one) => one.isReached)
  const common = { user_id: userId, campaign: ref.campaignId, is_reached: isReached }
  const told = once(reasons)
  const checks = sentChecks(told, { isCampaign: true }).map(renderCheck)
  return replySuccess({ explanation: { ...common, reasons: told, checks } })
}

/** An author has to ask for consent however few the people are, so the number alone is no reason. */
async function explainState(
  { database }: Deps,
  brandId: number,
  { state, people, requestedBy }: StoredCampaign,
): Promise<Explanation> {
  if (state !== 'awaiting_approval') return explanation('campaign_not_launched', { state })
  const above = await loadApprovalAbove(database, brandId)
  const seen = { people: people ?? 'many', above: above ?? 'not set' }
  if (above !== null && people !== null && people > above)
    return explanation('campaign_awaits_approval', seen)
  return explanation('campaign_awaits_consent', { ...seen, requester: requestedBy ?? 'somebody' })
}

/** The platforms share reasons, and each is given once. */
function once(reasons: readonly Explanation[]): readonly Explanation[] {
  return [...new Map(reasons.map((reason) => [reason.message, reason])).values()]
}

async function withObstacle(
  { pushWarnings }: Deps,
  brandId: number,
  facts: StoredFacts,
): Promise<NotificationFacts> {
  return { ...facts, obstacle: await pushWarnings.obstacle({ brandId, platform: facts.platform }) }
}

async function explainJourney(deps: Deps, { brandId, userId, profileId, id }: Question): Promise<Reply> {
  const { database } = deps
  const journeyId = parseInt64(id)
  const ref = journeyId === null ? null : { brandId, journeyId }
  const stored = ref === null ? null : await loadJourney(database, ref)
  if (ref === null || stored === null) return refuse(unknownJourney())

  const [enrolment] = await listEnrolments(database, { ...ref, profileId, limit: 1 })
  const read = readStoredJourney(stored)
  const asked = { ref, stored, profileId, journey: read.ok ? read.value : null }
  const { isReached, reasons } =
    enrolment === undefined
      ? { isReached: false, reasons: await explainOutside(deps, asked) }
      : await explainInside(deps, asked, enrolment)
  const common = { user_id: userId, journey: ref.journeyId }
  return replySuccess({ explanation: { ...common, is_reached: isReached, reasons } })
}

/** The journey is null when what is stored of it cannot be read. */
type Asked = {
  readonly ref: JourneyRef
  readonly stored: StoredJourney
  readonly profileId: bigint
  readonly journey: Journey | null
}

async function explainOutside(deps: Deps, asked: Asked): Promise<readonly Explanation[]> {
  const { stored, journey } = asked
  const { version, state, activeSince } = stored
  if (journey === null) return [explanation('journey_unreadable', { version })]
  const triggers = await findTriggers(deps, asked)
  return explainOutsider(journey, { state, activeSince, triggers, now: deps.clock.now() })
}

async function explainInside(deps: Deps, asked: Asked, enrolment: EnrolmentReport): Promise<ExplainedPath> {
  const { ref, profileId, journey } = asked
  const moments = enrolment.path.flatMap(({ at, did }) => (did === 'sent' ? [at] : []))
  const stored = await loadJourneySends(deps.database, { ...ref, profileId, moments })
  const sends = await Promise.all(
    stored.map(async (send) => ({ ...send, facts: await withObstacle(deps, ref.brandId, send.facts) })),
  )
  const triggers = await findTriggers(deps, asked)
  const { state } = asked.stored
  return explainInsider(journey, { state, enrolment, sends, triggers, now: deps.clock.now() })
}

async function findTriggers({ database }: Deps, { ref, profileId, journey }: Asked) {
  if (journey?.trigger.kind !== 'event') return []
  const { event } = journey.trigger.match
  return loadTriggers(database, { brandId: ref.brandId, profileId, event, limit: TRIGGERS_MAX })
}

const TRIGGERS_MAX = 10

export const EXPLAIN_QUERY = Type.Object({
  user_id: Type.String({ minLength: 1, maxLength: 100, description: 'The person.' }),
  notification: Type.Optional(Type.String({ maxLength: 100, description: 'The id of a notification.' })),
  campaign: Type.Optional(Type.String({ maxLength: 100, description: 'The id of a campaign.' })),
  journey: Type.Optional(Type.String({ maxLength: 100, description: 'The id of a journey.' })),
})
