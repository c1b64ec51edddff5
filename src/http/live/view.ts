import { predictEnd } from '../../domain/live/progress.ts'
import type { Obstacle } from '../../domain/push/channel-health.ts'
import { RECEIPT_KINDS } from '../../rules/push.ts'
import type { TailEvent } from '../../store/events/tail.ts'
import type { CampaignProgress, DeliveryErrors, NotificationProgress } from '../../store/live/progress.ts'
import { renderEvent } from '../events/view.ts'
import { instantOf, instantOrNull } from '../schema/view.ts'

/** The part of a progress that comes from more than one look. */
type SendPace = {
  readonly errors: DeliveryErrors
  readonly rate: number | null
  readonly now: number
  /** The reason why nothing is sent at present. */
  readonly obstacle: Obstacle | null
}

export function renderNotificationProgress(found: NotificationProgress, pace: SendPace): object {
  return {
    state: found.state,
    reason: found.reason ?? pace.obstacle?.reason ?? null,
    advice: pace.obstacle?.advice ?? null,
    send_at: instantOf(found.sendAt),
    finished_at: instantOrNull(found.finishedAt),
    audience: found.audience,
    ...countsOf([found]),
    ...renderPace(found.pending, pace),
  }
}

export function renderCampaignProgress(found: CampaignProgress, pace: SendPace): object {
  const counts = countsOf(found.parts)
  const known = found.parts.flatMap(({ audience }) => (audience === null ? [] : [audience]))
  return {
    state: found.state,
    reason: found.reason ?? pace.obstacle?.reason ?? null,
    advice: pace.obstacle?.advice ?? null,
    send_at: instantOrNull(found.sendAt),
    finished_at: instantOrNull(found.finishedAt),
    people: found.people,
    people_reached: found.peopleReached,
    audience: known.length === 0 ? null : known.reduce((sum, audience) => sum + audience, 0),
    ...counts,
    ...renderPace(pendingIn(found.parts), pace),
    notifications: found.parts.map((part) => ({
      id: part.id,
      platform: part.platform,
      state: part.state,
      reason: part.reason,
      audience: part.audience,
      ...countsOf([part]),
    })),
  }
}

export function pendingIn(parts: readonly NotificationProgress[]): number {
  return parts.reduce((sum, { pending }) => sum + pending, 0)
}

/** The messages whose outcome is known. */
export function settledIn(parts: readonly NotificationProgress[]): number {
  return parts.reduce((sum, part) => sum + part.accepted + part.failed + part.expired + part.cancelled, 0)
}

const COUNTS = ['accepted', 'failed', 'expired', 'cancelled', 'pending'] as const

function countsOf(parts: readonly NotificationProgress[]): object {
  const states = COUNTS.map((name) => [name, parts.reduce((sum, part) => sum + part[name], 0)] as const)
  const receipts = RECEIPT_KINDS.map(
    (kind) => [kind, parts.reduce((sum, part) => sum + (part.receipts[kind] ?? 0), 0)] as const,
  )
  return Object.fromEntries([...states, ...receipts])
}

function renderPace(pending: number, { errors, rate, now }: SendPace): object {
  return {
    rate_per_second: rate,
    predicted_end: instantOrNull(predictEnd({ pending, rate, now })),
    errors: errors.rows,
    are_errors_capped: errors.isCapped,
  }
}

/** An event in the tail of a caller who may see personal data. */
export function renderTailEvent(event: TailEvent): object {
  return renderEvent(event)
}

/** An event in the tail of a caller who may see the names of events and attributes, and nobody. */
export function renderTailShape(event: TailEvent): object {
  const { id, event_name, event_time, received_at, is_before_creation } = renderEvent(event)
  return {
    id,
    event_name,
    event_time,
    received_at,
    attribute_names: Object.keys(event.attributes),
    is_before_creation,
  }
}
