import type { StoredTrial } from '../../domain/campaigns/trial.ts'
import { storedAlternatives } from '../../domain/push/alternatives.ts'
import { type Draft, isCapped, type NotificationPlan, type Target } from '../../domain/push/notification.ts'
import { encodeFilter } from '../../domain/segments/filter.ts'
import { encodeJson } from '../../domain/values/json.ts'
import { splitByWeight } from '../../domain/values/split-by-weight.ts'
import { CHUNK_RULES, type PushMode } from '../../rules/push.ts'
import type { Db } from '../db.ts'

export type NewNotification = {
  readonly id: string
  readonly draft: Draft
  readonly plan: NotificationPlan
  readonly now: number
  readonly journey: JourneyOrigin | null
  readonly campaign?: CampaignOrigin
}

/** The campaign that asked for a notification. A test send is not counted. */
export type CampaignOrigin = {
  readonly campaignId: bigint
  readonly isTest: boolean
  /** How the campaign divides its people; null when it neither divides nor counts them. */
  readonly trial: StoredTrial | null
}

/** The journey that asked for a notification, and the attributes of the event that let the person into it. */
export type JourneyOrigin = {
  /** Follows from the enrolment and its step, so that asking twice saves one notification. */
  readonly id: string
  readonly journeyId: bigint
  readonly step: string
  readonly event: object | null
}

/**
 * Stores accepted notifications of a brand together with their work, all in one statement. A notification to one
 * subscriber that is due now gets its chunk here, so that a worker can take it at once; the planner cuts all others.
 * An id that is stored already is left as it is.
 */
export async function saveNotifications(
  tx: Db,
  brandId: number,
  notifications: readonly NewNotification[],
): Promise<void> {
  if (notifications.length === 0) return
  const rows = notifications.map(toRow)
  await tx.query(SAVE, [brandId, encodeJson(rows), encodeJson(notifications.flatMap(toChunkRows))])
}

/**
 * A row of the table, with the columns that are known here. Ids are text, because JSON with a bigint in it is slow to
 * write. A column without a value is left out, because the database spends time on each null.
 */
function toRow({ id, draft, plan, now, journey, campaign }: NewNotification): object {
  const { target, callerNotificationId } = draft
  const isForNobody = plan.recipients?.length === 0
  return {
    id,
    platform: draft.platform,
    mode: modeOf(target),
    caller_notification_id: callerNotificationId?.toString(),
    content: draft.content,
    alternatives:
      draft.alternatives === null ? undefined : storedAlternatives(draft.content, draft.alternatives),
    profile_id: plan.lasting?.profileId?.toString(),
    subscription_ids: plan.lasting?.subscriptionIds?.map(String),
    segment_id: 'segmentId' in target ? target.segmentId?.toString() : undefined,
    tag: draft.tag ?? undefined,
    topic: draft.topic ?? undefined,
    wall: plan.wall ?? undefined,
    best_hour_until: plan.bestHourUntil === null ? undefined : new Date(plan.bestHourUntil),
    per_second: draft.perSecond ?? undefined,
    // A test of a campaign is never under the cap.
    is_capped: campaign?.isTest !== true && isCapped(draft),
    hand_over_seconds: plan.handOverSeconds,
    state: isForNobody ? 'sent' : plan.state,
    send_at: new Date(plan.sendAt),
    expires_at: new Date(plan.expiresAt),
    plan_at: plan.recipients === null ? new Date(plan.sendAt) : undefined,
    audience: plan.audience ?? undefined,
    pending: plan.audience ?? 0,
    created_at: new Date(now),
    finished_at: isForNobody ? new Date(now) : undefined,
    journey_id: journey?.journeyId.toString(),
    step: journey?.step,
    event: journey?.event,
    template_id: draft.template?.templateId.toString(),
    template_version: draft.template?.version,
    campaign_id: campaign?.campaignId.toString(),
    is_test: campaign?.isTest ?? false,
    trial: campaign?.trial ?? undefined,
    reaches_virtual: modeOf(target) === 'send' || draft.reachesVirtual,
    ...narrowingRow(target),
  }
}

function narrowingRow(target: Target): object {
  if (target.kind !== 'campaign') return { has_user_list: false, is_latest_only: false }
  return {
    filter: target.filter === null ? undefined : encodeFilter(target.filter),
    has_user_list: target.hasUserList,
    except_campaign_id: target.exceptCampaignId?.toString(),
    is_latest_only: target.isLatestOnly,
  }
}

function modeOf(target: Target): PushMode {
  if (target.kind !== 'campaign') return MODE_OF[target.kind]
  const { segmentId, filter, hasUserList } = target
  return segmentId === null && filter === null && !hasUserList ? 'all' : 'segment'
}

const MODE_OF = { one: 'send', person: 'send', all: 'all', segment: 'segment' } as const

function toChunkRows({ id, draft, plan }: NewNotification): readonly object[] {
  const recipients = (plan.recipients ?? []).toSorted((a, b) => (a < b ? -1 : 1)).map(String)
  return splitByWeight(recipients, () => 1, CHUNK_RULES.recipientsMax).map((listed) => ({
    platform: draft.platform,
    notification_id: id,
    first_id: listed[0],
    last_id: listed.at(-1),
    subscription_ids: listed,
    remaining: listed.length,
    is_bulk: recipients.length > CHUNK_RULES.smallMax,
    expires_at: new Date(plan.expiresAt),
  }))
}

/** A notification that is due now is due by the database's clock, because the workers go by that clock. */
const SAVE = {
  name: 'save_notifications',
  text: `with saved as (
    insert into notifications (brand_id, id, platform, mode, caller_notification_id, content, alternatives, profile_id,
      subscription_ids, segment_id, tag, topic, wall, best_hour_until, per_second, hand_over_seconds, state, send_at,
      expires_at, plan_at, audience, pending, created_at, finished_at, is_capped, journey_id, step, event, campaign_id, filter,
      has_user_list, except_campaign_id, is_latest_only, reaches_virtual, is_test, trial,
      template_id, template_version)
    select $1, id, platform, mode, caller_notification_id, content, alternatives, profile_id, subscription_ids,
      segment_id, tag, topic, wall, best_hour_until, per_second, hand_over_seconds, state, send_at, expires_at,
      case when plan_at <= created_at then least(plan_at, clock_timestamp()) else plan_at end,
      audience, pending, created_at, finished_at, is_capped, journey_id, step, event, campaign_id, filter,
      has_user_list, except_campaign_id, is_latest_only, reaches_virtual, is_test, trial,
      template_id, template_version
    from jsonb_populate_recordset(null::notifications, $2::jsonb)
    on conflict (brand_id, id) do nothing
    returning id
  )
  insert into chunks (brand_id, platform, notification_id, first_id, last_id, subscription_ids, remaining, is_bulk,
    ready_at, expires_at)
  select $1, platform, notification_id, first_id, last_id, subscription_ids, remaining, is_bulk, clock_timestamp(),
    expires_at
  from jsonb_populate_recordset(null::chunks, $3::jsonb) where notification_id in (select id from saved)`,
}
