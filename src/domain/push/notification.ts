import type { Platform } from '../../rules/platforms.ts'
import { CHUNK_RULES, NOTIFICATION_STATES, type NotificationState } from '../../rules/push.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import { unreachable } from '../unreachable.ts'
import type { Content } from './message.ts'
import type { Schedule, Timing } from './schedule.ts'
import {
  type LastingTarget,
  lastingTarget,
  resolveTarget,
  type TargetFacts,
  type TargetKeys,
} from './target.ts'

/** What a caller asks for, once its body is understood. */
export type Draft = {
  readonly platform: Platform
  readonly target: Target
  /** Narrows the audience to subscriptions that carry it. */
  readonly tag: string | null
  /** The caller's own id. */
  readonly callerNotificationId: bigint | null
  readonly content: Content
  readonly timing: Timing
  /** How many may be handed over in a second; null for as many as can be. */
  readonly perSecond: number | null
  /** Whether it reaches people who have had enough for the day. */
  readonly ignoresCap: boolean
  readonly isDryRun: boolean
}

export type Target =
  | { readonly kind: 'one'; readonly keys: TargetKeys }
  /** A person whom a journey knows. Their devices are looked up at the time of sending. */
  | { readonly kind: 'person'; readonly profileId: bigint }
  | { readonly kind: 'all' }
  | { readonly kind: 'segment'; readonly segmentId: bigint }

/** What the store knows about a draft's target. The audience is counted only when it is decided now. */
export type AudienceFacts =
  | { readonly kind: 'one'; readonly keys: TargetKeys; readonly found: TargetFacts }
  | { readonly kind: 'person'; readonly profileId: bigint }
  | { readonly kind: 'all'; readonly audience: number | null }
  | { readonly kind: 'segment'; readonly segmentId: bigint; readonly audience: number | null }
  | { readonly kind: 'unknown_segment'; readonly segmentId: bigint }

/** What is to be stored of an accepted notification, next to the draft itself. */
export type NotificationPlan = {
  readonly state: Extract<NotificationState, 'queued' | 'scheduled'>
  readonly sendAt: number
  /** After this nothing of it is handed over any more. */
  readonly expiresAt: number
  /** For how long after its moment a delivery may still be handed over. */
  readonly handOverSeconds: number
  /** Set when each subscription has a moment of its own. */
  readonly wall: string | null
  /** How many subscriptions it addresses; null when that is decided at the time of sending. */
  readonly audience: number | null
  /** The subscriptions themselves, for one subscriber now; null when they are found at the time of sending. */
  readonly recipients: readonly bigint[] | null
  /** Whom to look for at the time of sending, when it is for one subscriber; null for a broadcast. */
  readonly lasting: LastingTarget | null
}

export function planNotification(
  draft: Draft,
  schedule: Schedule,
  facts: AudienceFacts,
): Result<NotificationPlan> {
  const audience = planAudience(draft, facts)
  if (!audience.ok) return audience
  const isDecidedNow = schedule.isDue && schedule.wall === null
  // A person's devices are looked up when the notification is released, so it is scheduled until then.
  const isQueued = schedule.isDue && facts.kind !== 'person'
  const handOverSeconds = Math.max(draft.content.ttlSeconds, CHUNK_RULES.handOverSecondsMin)
  return accept({
    state: isQueued ? 'queued' : 'scheduled',
    sendAt: schedule.sendAt,
    expiresAt: schedule.lastAt + handOverSeconds * 1000,
    handOverSeconds,
    wall: schedule.wall,
    ...audience.value,
    ...(isDecidedNow ? {} : { audience: null, recipients: null }),
  })
}

type Audience = Pick<NotificationPlan, 'audience' | 'recipients' | 'lasting'>

function planAudience({ platform, tag }: Draft, facts: AudienceFacts): Result<Audience> {
  switch (facts.kind) {
    case 'all':
    case 'segment':
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
