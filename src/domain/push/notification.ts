import type { Platform } from '../../rules/platforms.ts'
import { CHUNK_RULES, NOTIFICATION_STATES, type NotificationState } from '../../rules/push.ts'
import { TRANSACTIONAL } from '../../rules/topics.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import type { WrittenFilter } from '../segments/segment.ts'
import { unreachable } from '../unreachable.ts'
import type { Alternatives } from './alternatives.ts'
import type { Content } from './message.ts'
import type { Schedule, Timing } from './schedule.ts'
import {
  type LastingTarget,
  lastingTarget,
  resolveTarget,
  type TargetFacts,
  type TargetKeys,
} from './target.ts'

/** A push request, parsed and valid, before it is known whom it reaches and when. */
export type Draft = {
  readonly platform: Platform
  readonly target: Target
  /** Narrows the audience to subscriptions that carry this tag. */
  readonly tag: string | null
  /** The topic of the message; a person may have opted out of it. */
  readonly topic: string | null
  /** The caller's own id. */
  readonly callerNotificationId: bigint | null
  readonly content: Content
  /** Other contents, in other languages; null when everybody gets the one above. */
  readonly alternatives: Alternatives | null
  /** The saved template that the content came from, in part or whole. */
  readonly template: TemplateOrigin | null
  readonly timing: Timing
  /** The most messages that are sent in a second; null for no limit. */
  readonly perSecond: number | null
  /** Whether it also notifies people who reached the frequency cap of the day. */
  readonly ignoresCap: boolean
  /** Whether a broadcast also notifies virtual devices; a push to one subscriber always does. */
  readonly reachesVirtual: boolean
  readonly isDryRun: boolean
}

/** A version of a saved template. */
export type TemplateOrigin = { readonly templateId: bigint; readonly version: number }

export type Target =
  | { readonly kind: 'one'; readonly keys: TargetKeys }
  /** A person whom a journey knows. Their devices are looked up at the time of sending. */
  | { readonly kind: 'person'; readonly profileId: bigint }
  | { readonly kind: 'all' }
  | { readonly kind: 'segment'; readonly segmentId: bigint }
  | CampaignTarget

/** The audience of a campaign on one platform, counted before. */
export type CampaignTarget = {
  readonly kind: 'campaign'
  readonly segmentId: bigint | null
  /** Null when the segment, or its absence, says it all; else the whole filter, with the segment in it. */
  readonly filter: WrittenFilter | null
  readonly hasUserList: boolean
  readonly exceptCampaignId: bigint | null
  readonly isLatestOnly: boolean
  readonly audience: number
}

/** The facts of the store about a draft's target. The audience is counted only when the notification is due now. */
export type AudienceFacts =
  | { readonly kind: 'one'; readonly keys: TargetKeys; readonly found: TargetFacts }
  | { readonly kind: 'person'; readonly profileId: bigint }
  | { readonly kind: 'all'; readonly audience: number | null }
  | { readonly kind: 'segment'; readonly segmentId: bigint; readonly audience: number | null }
  | { readonly kind: 'unknown_segment'; readonly segmentId: bigint }
  | CampaignTarget

/** The facts that are stored of an accepted notification, beside its draft. */
export type NotificationPlan = {
  readonly state: Extract<NotificationState, 'queued' | 'scheduled'>
  readonly sendAt: number
  /** No message is sent after this time. */
  readonly expiresAt: number
  /** How long after its time a delivery may still be sent. */
  readonly handOverSeconds: number
  /** The local time of a notification that is sent at each subscriber's own time. */
  readonly wall: string | null
  /** The end of the hours over which the audience is spread; null when it is not. */
  readonly bestHourUntil: number | null
  /** The number of subscriptions; null when they are found at the time of sending. */
  readonly audience: number | null
  /** The subscriptions themselves, for one subscriber now; null when they are found at the time of sending. */
  readonly recipients: readonly bigint[] | null
  /** The subscriber to look up at the time of sending; null for a broadcast. */
  readonly lasting: LastingTarget | null
}

export function planNotification(
  draft: Draft,
  schedule: Schedule,
  facts: AudienceFacts,
): Result<NotificationPlan> {
  const audience = planAudience(draft, facts)
  if (!audience.ok) return audience
  const isDecidedNow = isCountedAtOnce(schedule)
  // A person's devices are looked up when the notification is released, so it is scheduled until then.
  const isQueued = schedule.isDue && facts.kind !== 'person'
  const handOverSeconds = handOverSecondsOf(draft.content)
  return accept({
    state: isQueued ? 'queued' : 'scheduled',
    sendAt: schedule.sendAt,
    expiresAt: schedule.lastAt + handOverSeconds * 1000,
    handOverSeconds,
    wall: schedule.wall,
    bestHourUntil: schedule.bestHourUntil ?? null,
    ...audience.value,
    ...(isDecidedNow ? {} : { audience: null, recipients: null }),
  })
}

/** How long after its time a message may still be sent. */
export function handOverSecondsOf({ ttlSeconds }: Content): number {
  return ttlSeconds === 0 ? CHUNK_RULES.atOnceSeconds : ttlSeconds
}

/** A push to one subscriber is under the frequency cap only if it has a topic. */
export function isCapped({ target, topic, ignoresCap }: CappedDraft): boolean {
  if (topic === TRANSACTIONAL) return false
  return target.kind === 'one' ? topic !== null : !ignoresCap
}

type CappedDraft = Pick<Draft, 'topic' | 'ignoresCap'> & { readonly target: Pick<Target, 'kind'> }

/** Whether the audience is known when the notification is accepted. */
export function isCountedAtOnce({ isDue, wall, bestHourUntil }: Schedule): boolean {
  return isDue && wall === null && bestHourUntil === undefined
}

type Audience = Pick<NotificationPlan, 'audience' | 'recipients' | 'lasting'>

function planAudience({ platform, tag }: Draft, facts: AudienceFacts): Result<Audience> {
  switch (facts.kind) {
    case 'all':
    case 'segment':
    case 'campaign':
      return accept({ audience: facts.audience, recipients: null, lasting: null })
    case 'person': {
      const lasting = { profileId: facts.profileId, subscriptionIds: null }
      return accept({ audience: null, recipients: null, lasting })
    }
    case 'unknown_segment':
      return reject(fault('segment_not_found', 'segment_id', { id: facts.segmentId }))
    case 'one': {
      const live = resolveTarget(facts.keys, facts.found, platform)
      if (!live.ok) return live
      const tagged = tag === null ? live.value : live.value.filter(({ tags }) => tags.includes(tag))
      const lasting = lastingTarget(facts.keys, facts.found, live.value)
      return accept({ audience: tagged.length, recipients: tagged.map(({ id }) => id), lasting })
    }
    default:
      return unreachable(facts)
  }
}

/** Whether a notification may still be cancelled. Cancelling it twice is not a mistake. */
export function planCancel(state: NotificationState): Result<'cancelled'> {
  const next: readonly NotificationState[] = NOTIFICATION_STATES[state]
  if (state === 'cancelled' || next.includes('cancelled')) return accept('cancelled')
  return reject(fault('notification_final', null, { state }))
}
