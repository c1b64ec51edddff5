import { OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import { DEFAULT_LANGUAGE } from '../../rules/languages.ts'
import type { Platform } from '../../rules/platforms.ts'
import {
  type DeliveryState,
  FREQUENCY_REASON,
  type NotificationState,
  UNKNOWN_REASON,
} from '../../rules/push.ts'
import { EVERYTHING, OPT_OUT_REASON, QUIET_REASON } from '../../rules/topics.ts'
import { type CampaignFacts, explainHour, explainLeftOut, explainVariant } from '../campaigns/explanation.ts'
import { type OptOuts, optOutOf } from '../preferences/opt-outs.ts'
import type { QuietHours } from '../preferences/quiet-hours.ts'
import { isObstructed, type Obstacle } from './channel-health.ts'
import { type Explanation, explanation } from './explanation-text.ts'
import { languageChooser } from './language.ts'

/** The facts about a notification and one person. */
export type NotificationFacts = {
  readonly platform: Platform
  readonly state: NotificationState
  readonly reason: string | null
  readonly sendAt: number
  readonly tag: string | null
  readonly segmentId: bigint | null
  /** The languages that the notification is written in beside its default content. */
  readonly languages: readonly string[]
  readonly brandLanguage: string | null
  readonly topic: string | null
  /** The settings of the brand that may keep a message back, as they are now. */
  readonly cap: number | null
  readonly quietHours: QuietHours | null
  readonly brandZone: string
  /** Whether it was for this person, everybody or their segment; false when it named somebody else. */
  readonly isAddressed: boolean
  readonly isInSegment: boolean
  /** The facts that only a notification of a campaign has; null for another one. */
  readonly campaign: CampaignFacts | null
  readonly devices: readonly ExplainedDevice[]
  /** Why nothing is sent on the platform at present; null if there is no such reason. */
  readonly obstacle: Obstacle | null
}

/** The facts that are stored with the notification and the person. */
export type StoredFacts = Omit<NotificationFacts, 'obstacle'>

/** One of the person's devices on the platform, and what became of the notification there. */
export type ExplainedDevice = {
  readonly subscriptionId: string
  readonly state: string
  readonly stateReason: string | null
  readonly createdAt: number
  readonly tags: readonly string[]
  /** Whether it is a virtual device, and the notification leaves those out. */
  readonly isLeftOut: boolean
  readonly timeZone: string | null
  /** The opt-outs of the device and of its person, as they are now. */
  readonly deviceOptOuts: OptOuts
  readonly personOptOuts: OptOuts
  /** The languages of the device and of its person, as they are now. */
  readonly language: string | null
  readonly personLanguage: string | null
  readonly delivery: DeliveryState | null
  /** The language of the message, or `DEFAULT_LANGUAGE`; null when there was nothing to choose. */
  readonly deliveryLanguage: string | null
  readonly deliveryReason: string | null
  /** The setting of the brand that kept the message back for good or for some hours; null when none did. */
  readonly seen: SeenReason | null
  /** The place of the variant of the message; null when there was none. */
  readonly variant: number | null
  readonly deliveredAt: number | null
  readonly receipts: readonly string[]
}

/** A setting that kept a message back, with the values it had at that moment. */
export type SeenReason =
  | { readonly quietHours: QuietHours; readonly zone: string }
  /** The cap was reached on this day of the person's own calendar. */
  | { readonly cap: number; readonly day: string }

export type Explained = { readonly isReached: boolean; readonly reasons: readonly Explanation[] }

/** Explains why a person did or did not get a notification: by the outcomes on their devices, or by what left them out. */
export function explainNotification(facts: NotificationFacts): Explained {
  const { devices, state, reason, sendAt } = facts
  const waits = explainObstacle(facts)
  const told = devices.flatMap((device) => explainDevice(device, facts))
  const isReached = devices.some(({ delivery }) => delivery === 'accepted')
  const isRetrying = devices.some(({ delivery }) => delivery === 'retrying')
  const hour = facts.campaign === null ? [] : explainHour(facts.campaign, { isDelivered: told.length > 0 })
  if (told.length > 0) return { isReached, reasons: [...told, ...hour, ...(isRetrying ? waits : [])] }
  const kept = explainAudience(facts)
  if (kept.length > 0) return { isReached, reasons: kept }
  if (reason === OLD_EVENTS_REASON && state !== 'failed' && state !== 'sent')
    return { isReached, reasons: [explanation(OLD_EVENTS_REASON, { at: iso(sendAt) })] }
  if (state === 'scheduled')
    return { isReached, reasons: [explanation('scheduled', { at: iso(sendAt) }), ...hour] }
  if (state === 'cancelled') return { isReached, reasons: [explanation('notification_cancelled')] }
  if (state === 'failed') {
    return { isReached, reasons: [explanation('notification_failed', { reason: reason ?? 'unknown' })] }
  }
  return { isReached, reasons: [...(waits.length > 0 ? waits : [explanation('pending')]), ...hour] }
}

/** Explains the channel's trouble that holds up a due notification; nothing if it has ended or is not due. */
function explainObstacle({ state, platform, obstacle }: NotificationFacts): readonly Explanation[] {
  if (obstacle === null || !isObstructed(state)) return []
  return [explanation('obstructed', { platform, ...obstacle })]
}

function explainDevice(device: ExplainedDevice, facts: NotificationFacts): readonly Explanation[] {
  const { delivery, deliveryReason, deliveredAt, receipts, subscriptionId: subscription } = device
  if (delivery === null) return []
  if (deliveryReason === FREQUENCY_REASON) return [explainCap(device, facts)]
  if (deliveryReason === OPT_OUT_REASON) return [explainOptOut(device, facts)]
  if (deliveryReason === QUIET_REASON) return [explainQuietHours(device, facts)]
  if (deliveryReason === UNKNOWN_REASON) return [explanation('outcome_unknown', { subscription })]
  const words = { subscription, reason: deliveryReason ?? 'no reason was given', at: iso(deliveredAt ?? 0) }
  const shown = (['received', 'clicked'] as const).filter((kind) => receipts.includes(kind))
  return [
    explanation(delivery, words),
    ...explainWait(device),
    ...explainLanguage(device, facts),
    ...(facts.campaign === null
      ? []
      : explainVariant(facts.campaign, { subscription, variant: device.variant })),
    ...shown.map((kind) => explanation(kind, words)),
  ]
}

/** Looks the language up again. If another one is found, a language of the device, the person or the brand has changed. */
function explainLanguage(device: ExplainedDevice, facts: NotificationFacts): readonly Explanation[] {
  const { subscriptionId: subscription, language: own, personLanguage, deliveryLanguage: language } = device
  const { languages, brandLanguage: brand } = facts
  if (language === null) return []
  const wishes = { device: own, person: personLanguage }
  const now = languageChooser({ languages, brand })(wishes)
  const seen = `device: ${own ?? 'not set'}, person: ${personLanguage ?? 'not set'}, brand: ${brand ?? 'not set'}`
  if ((now.language ?? DEFAULT_LANGUAGE) !== language) {
    const cause = `a language was another one at that time; now they are ${seen}`
    return [explanation('language_chosen', { subscription, language, cause })]
  }
  const cause =
    now.source === 'nobody'
      ? `no known language is offered (${seen})`
      : `the language of the ${now.source} is ${{ ...wishes, brand }[now.source] ?? 'not set'}`
  return [explanation('language_chosen', { subscription, language, cause })]
}

/** An opt-out that came after the message was due is another one: the first was taken back in between. */
function explainOptOut(device: ExplainedDevice, { topic }: NotificationFacts): Explanation {
  const { subscriptionId: subscription, personOptOuts, deviceOptOuts, deliveredAt } = device
  const held = [
    { holder: 'The person', found: optOutOf(personOptOuts, topic) },
    { holder: `The device ${subscription}`, found: optOutOf(deviceOptOuts, topic) },
  ].flatMap(({ holder, found }) => (found === null ? [] : [{ holder, ...found }]))
  const cause = held.find(({ since }) => Date.parse(since) <= (deliveredAt ?? 0))
  const common = { subscription, at: iso(deliveredAt ?? 0) }
  if (cause === undefined) return explanation('opted_out_before', { ...common, topic: topicWords(topic) })
  const { holder, since } = cause
  return explanation('opted_out', { ...common, holder, since, topic: topicWords(cause.topic) })
}

function topicWords(topic: string | null): string {
  return topic === null || topic === EVERYTHING
    ? 'everything but transactional messages'
    : `the topic ${topic}`
}

/** A row that does not say what was seen is explained by the settings of today, which may be others. */
function explainCap({ seen, deliveredAt }: ExplainedDevice, facts: NotificationFacts): Explanation {
  const isSeen = seen !== null && 'cap' in seen
  const cap = isSeen ? `${seen.cap} on ${seen.day}` : `${facts.cap ?? 'no limit'}, as of today`
  return explanation('frequency_capped', { cap, at: iso(deliveredAt ?? 0) })
}

function explainQuietHours(
  device: ExplainedDevice,
  { quietHours, brandZone }: NotificationFacts,
): Explanation {
  const { subscriptionId: subscription, timeZone, delivery, deliveredAt, seen } = device
  const code = delivery === 'retrying' ? 'quiet_later' : 'quiet_dropped'
  const words = { subscription, at: iso(deliveredAt ?? 0) }
  if (seen !== null && 'zone' in seen) return explanation(code, { ...words, ...quietWords(seen) })
  const { from = 'none', until = 'none' } = quietHours ?? {}
  return explanation(code, { ...words, from, until, zone: `${timeZone ?? brandZone}, as of today` })
}

function quietWords({ quietHours: { from, until }, zone }: Extract<SeenReason, { zone: string }>) {
  return { from, until, zone }
}

/** A message that was kept for the end of quiet hours and has another outcome now. */
function explainWait({ subscriptionId: subscription, seen }: ExplainedDevice): readonly Explanation[] {
  if (seen === null || !('zone' in seen)) return []
  return [explanation('quiet_waited', { subscription, ...quietWords(seen) })]
}

/** The reasons that keep a person out of the audience, the first one first. */
function explainAudience(facts: NotificationFacts): readonly Explanation[] {
  const { platform, devices, tag, segmentId, sendAt, isAddressed, isInSegment } = facts
  if (!isAddressed) return [explanation('not_addressed')]
  if (devices.length === 0) return [explanation('never_subscribed', { platform })]
  const live = devices.filter(({ state }) => state === 'live')
  if (live.length === 0) {
    const states = devices.map(({ state, stateReason }) =>
      stateReason === null ? state : `${state} (${stateReason})`,
    )
    return [explanation('no_live_subscription', { platform, detail: states.join(', ') })]
  }
  const meant = live.filter(({ isLeftOut }) => !isLeftOut)
  if (meant.length === 0) return [explanation('only_virtual_devices', { platform })]
  if (meant.every(({ createdAt }) => createdAt > sendAt))
    return [explanation('subscribed_later', { platform })]
  if (tag !== null && meant.every(({ tags }) => !tags.includes(tag)))
    return [explanation('tag_missing', { platform, tag })]
  if (!isInSegment) return [notInside(segmentId)]
  return facts.campaign === null ? [] : explainLeftOut(facts.campaign, platform)
}

/** An audience that is no saved segment has no number. */
function notInside(segmentId: bigint | null): Explanation {
  return segmentId === null
    ? explanation('not_in_filter')
    : explanation('not_in_segment', { segment: segmentId })
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
