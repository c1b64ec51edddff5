import { fault } from '../../domain/fault.ts'
import { type ExplainedPath, explainInsider, explainOutsider } from '../../domain/journeys/explanation.ts'
import type { Journey } from '../../domain/journeys/plan.ts'
import { readStoredJourney } from '../../domain/journeys/stored-journey.ts'
import {
  type Explanation,
  explainNotification,
  explanation,
  type NotificationFacts,
  type StoredFacts,
} from '../../domain/push/explanation.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { isUuid } from '../../domain/values/uuid.ts'
import type { JourneyRef } from '../../store/journeys/enrolments.ts'
import { loadJourneySends, loadNotificationFacts, loadTriggers } from '../../store/journeys/explaining.ts'
import { loadJourney, type StoredJourney } from '../../store/journeys/journeys.ts'
import { type EnrolmentReport, findProfileId, listEnrolments } from '../../store/journeys/reads.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { unknownJourney } from './journeys.ts'

/** GET /api/v1/explain: why did this person get it, or not? */
export async function explain(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(EXPLAIN_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { user_id: userId, notification, journey } = parsed.value.value
  if ((notification === undefined) === (journey === undefined)) {
    return refuse({
      faults: [fault('field_conflict', 'notification', { detail: 'name a notification or a journey' })],
    })
  }
  const { brandId } = request.caller
  const person = await findProfileId(deps.database, { brandId, userId })
  if (person === null) return refuse({ faults: [fault('profile_not_found', 'user_id')] })
  const who = { brandId, userId, profileId: person.id }
  return notification === undefined
    ? explainJourney(deps, { ...who, id: journey ?? '' })
    : explainOne(deps, { ...who, id: notification })
}

type Question = {
  readonly brandId: number
  readonly userId: string
  readonly profileId: bigint
  readonly id: string
}

async function explainOne(deps: Deps, { brandId, userId, profileId, id }: Question): Promise<Reply> {
  const isId = isUuid(id)
  const stored = isId
    ? await loadNotificationFacts(deps.database, { brandId, id, profileId, now: deps.clock.now() })
    : null
  if (stored === null) return refuse({ faults: [fault('notification_not_found', 'notification')] })
  const facts = await withObstacle(deps, brandId, stored)
  const { isReached, reasons } = explainNotification(facts)
  return replySuccess({ explanation: { user_id: userId, notification: id, is_reached: isReached, reasons } })
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
  journey: Type.Optional(Type.String({ maxLength: 100, description: 'The id of a journey.' })),
})
