import { isObstructed, type Obstacle } from '../../domain/push/channel-health.ts'
import type { Draft, NotificationPlan } from '../../domain/push/notification.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { CHANNEL_ADVICE } from '../../rules/channels.ts'
import { OLD_EVENTS_ADVICE, OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import {
  DELIVERY_REASONS,
  DELIVERY_STATES,
  NOTIFICATION_SOURCES,
  NOTIFICATION_STATE_NAMES,
  PUSH_MODE_NAMES,
  PUSH_MODES,
  RECEIPT_KINDS,
} from '../../rules/push.ts'
import type { DeliveryReport, NotificationReport } from '../../store/push/notification-reads.ts'
import { Type } from '../schema/schema.ts'
import {
  INSTANT,
  INSTANT_OR_NULL,
  instantOf,
  instantOrNull,
  NEXT_CURSOR,
  shareOrNull,
  TEXT_OR_NULL,
} from '../schema/view.ts'
import { JOURNEY_SENDS_VIEW } from './journey-sends.ts'

type Accepted = {
  /** Null when it was only tried out. */
  readonly id: string | null
  readonly draft: Draft
  readonly plan: Pick<NotificationPlan, 'state' | 'sendAt' | 'audience'>
}

/** The notification in the reply to a push (decisions §3). */
export function renderAccepted({ id, draft, plan }: Accepted): object {
  return {
    id,
    notification_id: draft.callerNotificationId,
    state: plan.state,
    send_at: instantOf(plan.sendAt),
    audience: plan.audience,
  }
}

export function audienceWarnings({ audience }: Accepted['plan']): readonly Warning[] {
  return audience === 0 ? [warning('audience_empty', 'audience')] : []
}

/** `obstacle` is the reason why nothing is sent on the platform at present, if there is one. */
export function renderNotification(report: NotificationReport, obstacle: Obstacle | null): object {
  const inTheWay = isObstructed(report.state) ? obstacle : null
  return {
    id: report.id,
    notification_id: report.callerNotificationId,
    platform: report.platform,
    mode: report.mode,
    segment_id: report.segmentId,
    tag: report.tag,
    topic: report.topic,
    template_id: report.templateId,
    template_version: report.templateVersion,
    title: report.title,
    message: report.message,
    url: report.url,
    state: report.state,
    reason: report.reason ?? inTheWay?.reason ?? null,
    advice: inTheWay?.advice ?? adviceOn(report),
    created_at: instantOf(report.createdAt),
    send_at: instantOf(report.sendAt),
    expires_at: instantOf(report.expiresAt),
    finished_at: instantOrNull(report.finishedAt),
    audience: report.audience,
    accepted: report.accepted,
    failed: report.failed,
    expired: report.expired,
    cancelled: report.cancelled,
    pending: report.pending,
    texts_cut: report.textsCut,
    ...Object.fromEntries(RECEIPT_KINDS.map((kind) => [kind, report.receipts[kind] ?? 0])),
    acceptance_rate: shareOrNull({ part: report.accepted, whole: report.audience ?? 0 }),
    click_rate: shareOrNull({ part: report.receipts.clicked ?? 0, whole: report.accepted }),
    source: sourceOf(report),
  }
}

/** Where a notification came from. */
function sourceOf({
  source,
  platform,
  mode,
  campaignId,
  isTest,
  journeyId,
  step,
}: NotificationReport): object {
  switch (source) {
    case 'endpoint':
      return { kind: source, endpoint: `/api/v1/${platform}/${PUSH_MODES[mode].path}` }
    case 'campaign':
      return { kind: source, campaign_id: campaignId, is_test: isTest }
    case 'journey':
      return { kind: source, journey_id: journeyId, step }
    default:
      return unreachable(source)
  }
}

function adviceOn({ reason, platform }: NotificationReport): string | null {
  if (reason === OLD_EVENTS_REASON) return OLD_EVENTS_ADVICE
  return reason === 'no_credentials' ? CHANNEL_ADVICE[reason].replaceAll('{platform}', platform) : null
}

export function renderDelivery(report: DeliveryReport): object {
  return {
    subscription_id: report.subscriptionId,
    user_id: report.userId,
    state: report.state,
    reason: report.reason,
    attempt: report.attempt,
    at: instantOf(report.at),
    language: report.language,
    reported_at: instantOrNull(report.reportedAt),
  }
}

const Id = Type.String({ format: 'uuid', description: 'Beckon’s id of the notification, used in addresses.' })
const CallerNotificationId = Type.Union([Type.Integer({ format: 'int64' }), Type.Null()], {
  description: 'The caller’s own id.',
})
const Audience = Type.Union([Type.Integer(), Type.Null()], {
  description: 'The number of subscriptions that it addresses; null until they are chosen.',
})

export const ACCEPTED = Type.Object({
  notification: Type.Object({
    id: Id,
    notification_id: CallerNotificationId,
    state: Type.Union([Type.Literal('queued'), Type.Literal('scheduled')]),
    send_at: INSTANT,
    audience: Audience,
  }),
})

const SOURCE = Type.Object(
  {
    kind: Type.Union(NOTIFICATION_SOURCES.map((name) => Type.Literal(name))),
    endpoint: Type.Optional(Type.String({ description: 'The path of the push endpoint.' })),
    campaign_id: Type.Optional(Type.Integer({ format: 'int64' })),
    is_test: Type.Optional(Type.Boolean({ description: 'Whether it is a test send of the campaign.' })),
    journey_id: Type.Optional(Type.Integer({ format: 'int64' })),
    step: Type.Optional(TEXT_OR_NULL),
  },
  { description: 'Where it came from.' },
)

const NOTIFICATION = Type.Object({
  id: Id,
  notification_id: CallerNotificationId,
  platform: Type.Union(PLATFORM_NAMES.map((name) => Type.Literal(name))),
  mode: Type.Union(PUSH_MODE_NAMES.map((name) => Type.Literal(name))),
  segment_id: Type.Union([Type.Integer({ format: 'int64' }), Type.Null()]),
  tag: TEXT_OR_NULL,
  topic: TEXT_OR_NULL,
  template_id: Type.Union([Type.Integer({ format: 'int64' }), Type.Null()], {
    description: 'The template that its content came from.',
  }),
  template_version: Type.Union([Type.Integer(), Type.Null()]),
  title: Type.String(),
  message: Type.String(),
  url: TEXT_OR_NULL,
  state: Type.Union(NOTIFICATION_STATE_NAMES.map((name) => Type.Literal(name))),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it failed, or why it waits: a paused or failing channel, or a hold of the operator.',
  }),
  advice: Type.Union([Type.String(), Type.Null()], { description: 'What to do about it.' }),
  created_at: INSTANT,
  send_at: INSTANT,
  expires_at: INSTANT,
  finished_at: INSTANT_OR_NULL,
  audience: Audience,
  accepted: Type.Integer({ description: 'Deliveries that the provider accepted.' }),
  failed: Type.Integer(),
  expired: Type.Integer(),
  cancelled: Type.Integer(),
  pending: Type.Integer({
    description: 'Deliveries without a final state. All counts add up to `audience`.',
  }),
  texts_cut: Type.Integer({ description: 'Texts that became too long for a person and were cut.' }),
  ...Object.fromEntries(
    RECEIPT_KINDS.map((kind) => [
      kind,
      Type.Integer({ description: `Deliveries with the receipt ${kind}.` }),
    ]),
  ),
  acceptance_rate: Type.Union([Type.Number(), Type.Null()], {
    description: 'accepted divided by audience, between 0 and 1; null when the audience is empty or unknown.',
  }),
  click_rate: Type.Union([Type.Number(), Type.Null()], {
    description: 'clicked divided by accepted; null when nothing was accepted.',
  }),
  source: SOURCE,
})

export const ONE_NOTIFICATION = Type.Object({ notification: NOTIFICATION })

export const NOTIFICATION_PAGE = Type.Object({
  notifications: Type.Array(NOTIFICATION),
  journey_sends: Type.Optional(
    Type.Array(JOURNEY_SENDS_VIEW, { description: 'With fold=journeys, on the first page.' }),
  ),
  ...NEXT_CURSOR,
})

export const DELIVERY_FIELDS = {
  subscription_id: TEXT_OR_NULL,
  user_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The person who uses the device now; null if nobody is known to.',
  }),
  state: Type.Union(DELIVERY_STATES.map((name) => Type.Literal(name))),
  reason: TEXT_OR_NULL,
  attempt: Type.Integer(),
  at: INSTANT,
  language: Type.Union([Type.String(), Type.Null()], {
    description:
      'The language of the message, or default for the content without a language; null when the notification is in one language only, or nothing was sent.',
  }),
  reported_at: Type.Union([INSTANT, Type.Null()], {
    description: 'When the device reported the receipt of the query; null without one.',
  }),
}

export const DELIVERY_PAGE = Type.Object({
  deliveries: Type.Array(Type.Object(DELIVERY_FIELDS)),
  ...NEXT_CURSOR,
})

export const DELIVERY_REASON_LIST = Type.Object({
  reasons: Type.Array(
    Type.Object({
      state: Type.Union(DELIVERY_STATES.map((name) => Type.Literal(name))),
      reason: TEXT_OR_NULL,
      devices: Type.Integer(),
    }),
  ),
  is_complete: Type.Boolean({
    description: `False when only the first ${DELIVERY_REASONS.rowsMax} deliveries without success were counted.`,
  }),
})
