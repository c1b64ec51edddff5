import { type CheckStep, runChecks, type SendingCheck } from '../push/checks.ts'
import { type Explanation, explanation } from '../push/explanation-text.ts'
import { audienceFilter } from './audience.ts'
import type { Campaign } from './campaign.ts'
import { type DraftDevice, type DraftFacts, type DraftJudgement, failed, passed } from './draft-facts.ts'
import { judgeGroup } from './draft-group.ts'
import { judgeFrequencyCap, judgeQuietHours, judgeTopic } from './draft-withholding.ts'
import { planConsent } from './states.ts'

type Step = CheckStep<DraftFacts, DraftDevice>
type Devices = readonly DraftDevice[]

/** The chain of checks between a campaign, if it was launched now, and one person. */
export function draftChecks(facts: DraftFacts, devices: Devices): readonly SendingCheck[] {
  return runChecks(DRAFT_CHECKS, facts, devices)
}

/** The rules of sending, in the order in which they are asked: first those about the person, then those about the message as a whole. */
const DRAFT_CHECKS: readonly Step[] = [
  { name: 'person', judge: judgePerson },
  { name: 'device', judge: judgeDevice },
  { name: 'subscribed', judge: judgeSubscribed },
  { name: 'audience', judge: judgeAudience },
  { name: 'latest_device', judge: judgeLatest },
  { name: 'group', judge: judgeGroup },
  { name: 'due', judge: judgeDue },
  { name: 'topic', judge: judgeTopic },
  { name: 'quiet_hours', judge: judgeQuietHours },
  { name: 'frequency_cap', judge: judgeFrequencyCap },
  { name: 'channel', judge: judgeChannel },
  { name: 'sending', judge: judgeSending },
  { name: 'approval', judge: judgeApproval },
]

function judgePerson({ person, userId: user, now: at }: DraftFacts, devices: Devices): DraftJudgement {
  if (person === null) return failed(explanation('person_unknown', { user }), at)
  const since = iso(person.createdAt)
  return passed(explanation('person_known', { user, since }), { devices, at })
}

function judgeDevice({ campaign, now: at }: DraftFacts, devices: Devices): DraftJudgement {
  const platform = campaign.platforms.join(', ')
  const left = devices.filter(({ isOnPlatform }) => isOnPlatform)
  if (left.length === 0) return failed(explanation('never_subscribed', { platform }), at)
  return passed(explanation('has_devices', { platform, count: left.length }), { devices: left, at })
}

function judgeSubscribed({ campaign, now: at }: DraftFacts, devices: Devices): DraftJudgement {
  const platform = campaign.platforms.join(', ')
  const live = devices.filter(({ isLive }) => isLive)
  if (live.length === 0) {
    const states = devices.map(({ state, stateReason: reason }) =>
      reason === null ? state : `${state} (${reason})`,
    )
    return failed(explanation('no_live_subscription', { platform, detail: states.join(', ') }), at)
  }
  const left = live.filter(({ isCounted }) => isCounted)
  if (left.length === 0) return failed(explanation('only_virtual_devices', { platform }), at)
  const words = { count: left.length, all: devices.length }
  return passed(explanation('is_subscribed', words), { devices: left, at })
}

/** The conditions of an audience, each with what is said of a person who does not meet it. */
const AUDIENCE_CONDITIONS: readonly {
  readonly isMet: (device: DraftDevice) => boolean
  readonly tell: (campaign: Campaign) => Explanation
}[] = [
  {
    isMet: ({ isTagged }) => isTagged,
    tell: ({ audience, platforms }) =>
      explanation('tag_missing', { platform: platforms.join(', '), tag: audience.tag ?? '' }),
  },
  {
    isMet: ({ isInFilter }) => isInFilter,
    tell: ({ audience }) =>
      audienceFilter(audience)?.kind === 'segment' && audience.segmentId !== null
        ? explanation('not_in_segment', { segment: audience.segmentId })
        : explanation('not_in_filter'),
  },
  { isMet: ({ isListed }) => isListed, tell: () => explanation('not_listed') },
  {
    isMet: ({ isSpared }) => isSpared,
    tell: ({ audience }) => explanation('got_other_campaign', { campaign: audience.except.campaignId ?? '' }),
  },
]

function judgeAudience({ campaign, now: at }: DraftFacts, devices: Devices): DraftJudgement {
  let left = devices
  for (const { isMet, tell } of AUDIENCE_CONDITIONS) {
    left = left.filter(isMet)
    if (left.length === 0) return failed(tell(campaign), at)
  }
  const parts = narrowedBy(campaign)
  const found =
    parts.length === 0 ? explanation('for_everyone') : explanation('in_audience', { parts: parts.join(', ') })
  return passed(found, { devices: left, at })
}

/** The fields of the audience that narrow it, as they are written. */
function narrowedBy({ audience: { tag, segmentId, filter, userIds, except } }: Campaign): readonly string[] {
  return [
    ...(tag === null ? [] : [`tag ${tag}`]),
    ...(segmentId === null ? [] : [`segment_id ${segmentId}`]),
    ...(filter === null ? [] : ['filter']),
    ...(userIds === null ? [] : ['users']),
    ...(Object.values(except).every((part) => part === null) ? [] : ['except']),
  ]
}

function judgeLatest({ campaign, now: at }: DraftFacts, devices: Devices): DraftJudgement {
  if (campaign.reach === 'every_device') return passed(explanation('every_device'), { devices, at })
  const left = devices.filter(({ isLatest }) => isLatest)
  const [latest] = left
  if (latest === undefined) return failed(explanation('other_device_now'), at)
  const { subscriptionId: subscription, platform } = latest
  return passed(explanation('latest_device', { subscription, platform }), { devices: left, at })
}

/** A time on the clock of the device may have passed so long ago that the message has expired. */
function judgeDue({ now }: DraftFacts, devices: Devices): DraftJudgement {
  const left = devices.filter(({ expiresAt }) => expiresAt > now)
  const [first = devices[0]] = left
  const words = { at: iso(first?.dueAt ?? now), end: iso(first?.expiresAt ?? now) }
  if (left.length === 0) return failed(explanation('expired_when_due', words), now)
  return passed(explanation('is_due', { at: words.at }), { devices: left, at: now })
}

function judgeChannel({ obstacles, now: at }: DraftFacts, devices: Devices): DraftJudgement {
  const left = devices.filter(({ platform }) => !obstacles.has(platform))
  const platforms = [...new Set(devices.map(({ platform }) => platform))]
  const [first] = platforms.flatMap((platform) => {
    const obstacle = obstacles.get(platform)
    return obstacle === undefined ? [] : [{ platform, ...obstacle }]
  })
  if (left.length === 0 && first !== undefined) return failed(explanation('channel_obstructed', first), at)
  const ready = platforms.filter((platform) => !obstacles.has(platform)).join(', ')
  return passed(explanation('channel_sends', { platform: ready }), { devices: left, at })
}

function judgeSending({ isHeld, now: at }: DraftFacts, devices: Devices): DraftJudgement {
  return isHeld
    ? failed(explanation('sending_held'), at)
    : passed(explanation('sending_goes_on'), { devices, at })
}

function judgeApproval({ brand, people, asker, now: at }: DraftFacts, devices: Devices): DraftJudgement {
  const { approvalAbove } = brand
  const above = approvalAbove ?? 'not set'
  const isAsked = planConsent({ people: people ?? 0, approvalAbove, asker }) === 'ask'
  if (isAsked && people === null) return failed(explanation('author_asks'), at)
  if (isAsked) return failed(explanation('consent_needed', { people: people ?? 0, above }), at)
  const found = tellConsent(people, approvalAbove)
  return passed(found, { devices, at })
}

/** Why a launch needs no consent of another. Only somebody who may approve launches for more people than the number. */
function tellConsent(people: number | null, approvalAbove: number | null): Explanation {
  const above = approvalAbove ?? 'not set'
  if (people === null) return explanation('no_consent_needed', { above })
  const isAbove = approvalAbove !== null && people > approvalAbove
  return explanation(isAbove ? 'approver_launches' : 'below_approval', { people, above })
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
