import type { Platform } from '../../rules/platforms.ts'
import { onlyVariant } from '../push/alternatives.ts'
import type { Draft } from '../push/notification.ts'
import type { Schedule } from '../push/schedule.ts'
import { audienceFilter, type CampaignAudience } from './audience.ts'
import type { Campaign } from './campaign.ts'

/** The people and devices of a campaign's audience, all together and on each platform. */
export type CampaignReachCounts = {
  readonly people: number
  readonly devices: number
  readonly platforms: ReadonlyMap<Platform, { readonly people: number; readonly devices: number }>
}

/** The pushes that a campaign is made of: one for each platform. */
export function campaignDrafts(campaign: Campaign, counts: CampaignReachCounts): readonly Draft[] {
  const { platforms, perSecond } = campaign
  const audiences = platforms.map((platform) => counts.platforms.get(platform)?.devices ?? 0)
  const paces = perSecond === null ? null : splitPace(perSecond, audiences)
  return platforms.flatMap((platform, at) => {
    const target = {
      kind: 'campaign',
      ...targetOf(campaign.audience),
      isLatestOnly: campaign.reach === 'latest_device',
      audience: audiences[at] ?? 0,
    } as const
    const message = messageDraft(campaign, platform)
    return message === null ? [] : [{ ...message, target, perSecond: paces?.[at] ?? null }]
  })
}

/**
 * Tests of a campaign's message: to one person or device, now, whatever else they got today. There is one for each of
 * the variants that are tested. Several of them must not replace each other on the device, so they have no id of the
 * caller's.
 */
export function testDrafts(campaign: Campaign, { platform, target, variants }: TestTarget): readonly Draft[] {
  const message = messageDraft(campaign, platform)
  if (message === null) return []
  const draft = {
    ...message,
    target,
    tag: null,
    timing: { kind: 'now' },
    perSecond: null,
    ignoresCap: true,
    reachesVirtual: true,
  } as const
  if (variants.length === 0) return [draft]
  const callerNotificationId = variants.length === 1 ? draft.callerNotificationId : null
  return variants.map((variant) => ({ ...draft, ...onlyVariant(draft, variant), callerNotificationId }))
}

type TestTarget = {
  readonly platform: Platform
  readonly target: Draft['target']
  /** The places of the variants that are tested; empty when the campaign has none. */
  readonly variants: readonly number[]
}

/** The message of a campaign on one platform, whoever gets it; null if the campaign leaves the platform out. */
function messageDraft(campaign: Campaign, platform: Platform): Omit<Draft, 'target' | 'perSecond'> | null {
  const content = campaign.contents.get(platform)
  if (content === undefined) return null
  return {
    platform,
    tag: campaign.audience.tag,
    topic: campaign.topic,
    callerNotificationId: campaign.callerNotificationId,
    content,
    alternatives: campaign.alternatives.get(platform) ?? null,
    template: campaign.template,
    timing: campaign.timing,
    ignoresCap: campaign.ignoresCap,
    reachesVirtual: campaign.reachesVirtual,
    isDryRun: false,
  }
}

/** A segment alone is told by its id; with more beside it, the whole is one filter. */
function targetOf(audience: CampaignAudience) {
  const { segmentId, userIds, except } = audience
  const filter = audienceFilter(audience)
  return {
    segmentId,
    filter: filter?.kind === 'segment' && filter.id === segmentId ? null : filter,
    hasUserList: userIds !== null,
    exceptCampaignId: except.campaignId,
  }
}

/**
 * Shares of a pace, in proportion to the audiences, so that all platforms together keep it and end at the same time. A
 * platform whose audience is empty as yet still gets a little.
 */
export function splitPace(perSecond: number, audiences: readonly number[]): readonly number[] {
  const weights = audiences.map((audience) => audience + 1)
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => (perSecond * weight) / sum)
}

/** The schedule of a campaign that is launched now: nothing leaves before the undo window is over. */
export function launchSchedule(schedule: Schedule, window: UndoWindow): Schedule {
  const { now, undoSeconds } = window
  const earliest = now + undoSeconds * 1000
  if (undoSeconds === 0 || schedule.sendAt >= earliest) return schedule
  return { ...schedule, isDue: false, sendAt: earliest, lastAt: Math.max(schedule.lastAt, earliest) }
}

export type UndoWindow = { readonly now: number; readonly undoSeconds: number }
