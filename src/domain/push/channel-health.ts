import { CHANNEL_ADVICE, FAILING_ADVICE, REFUSED_HOSTS } from '../../rules/channels.ts'
import type { Platform } from '../../rules/platforms.ts'
import { BRAKE_REASON, type NotificationState } from '../../rules/push.ts'
import { WARNINGS } from '../../rules/warnings.ts'
import type { CredentialStatus } from './channel.ts'
import { freshRefusals, type RefusedHost } from './refused-host.ts'

/** The troubles of a channel, as they are stored. */
export type ChannelTroubles = {
  readonly pausedReason: string | null
  readonly pausedSince: number | null
  /** When a little is sent again, to see whether the channel works. */
  readonly retryAt: number | null
  readonly failingReason: string | null
  readonly failingSince: number | null
  /** The latest failure. */
  readonly failingAt: number | null
  readonly refusedHosts: readonly RefusedHost[]
}

export const CHANNEL_HEALTH_STATES = ['ok', 'partial', 'failing', 'paused', 'unable'] as const

/** Whether a channel sends, and if not: since when, why, and what to do about it. */
export type ChannelHealth = {
  readonly state: (typeof CHANNEL_HEALTH_STATES)[number]
  readonly reason: string | null
  readonly since: number | null
  readonly retryAt: number | null
  readonly advice: string | null
}

type HealthFacts = {
  readonly platform: Platform
  readonly credentials: CredentialStatus
  /** Null while nothing is stored of the channel. */
  readonly troubles: ChannelTroubles | null
  readonly now: number
}

/** The worst trouble of a channel. */
export function channelHealth({ platform, credentials, troubles, now }: HealthFacts): ChannelHealth {
  const advise = (advice: keyof typeof CHANNEL_ADVICE): string =>
    CHANNEL_ADVICE[advice].replaceAll('{platform}', platform)
  if (credentials === 'none') {
    return { ...OK, state: 'unable', reason: 'no_credentials', advice: advise('no_credentials') }
  }
  if (troubles === null) return OK
  const { pausedReason, pausedSince, retryAt, failingReason, failingSince, failingAt } = troubles
  if (pausedReason !== null) {
    const advice = advise(pausedReason === BRAKE_REASON ? 'braked' : 'paused')
    return { state: 'paused', reason: pausedReason, since: pausedSince, retryAt, advice }
  }
  if (failingReason !== null && now - (failingAt ?? 0) < REFUSED_HOSTS.keepMs) {
    const advice = advise(failingAdvice(failingReason))
    return { ...OK, state: 'failing', reason: failingReason, since: failingSince, advice }
  }
  if (freshRefusals(troubles.refusedHosts, now).length === 0) return OK
  return { ...OK, state: 'partial', reason: 'hosts_refuse', advice: advise('partial') }
}

/** The reason why notifications on a platform are not sent at present, and what to do about it. */
export type Obstacle = { readonly reason: string; readonly advice: string }

/** A channel that reaches some push services only is no obstacle: the deliveries say what became of each device. */
export function obstacleOf(health: ChannelHealth, { isHeld }: { readonly isHeld: boolean }): Obstacle | null {
  if (isHeld) return { reason: 'sending_held', advice: WARNINGS.sending_held }
  const { state, reason, advice } = health
  if (state === 'ok' || state === 'partial' || reason === null || advice === null) return null
  return { reason, advice }
}

/** Whether an obstacle keeps a notification in this state from being sent. */
export function isObstructed(state: NotificationState): boolean {
  return state === 'queued' || state === 'sending'
}

const OK: ChannelHealth = { state: 'ok', reason: null, since: null, retryAt: null, advice: null }

function failingAdvice(reason: string): keyof typeof CHANNEL_ADVICE {
  return FAILING_ADVICE.find(({ reasons }) => reasons.includes(reason))?.advice ?? 'failing'
}
