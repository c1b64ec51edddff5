import { EVERYTHING, OPT_OUT_REASON, TRANSACTIONAL } from '../../rules/topics.ts'
import { optOutOf } from '../preferences/opt-outs.ts'
import type { QuietHours } from '../preferences/quiet-hours.ts'
import { type Withheld, withhold } from '../preferences/withholding.ts'
import { type Explanation, explanation } from '../push/explanation-text.ts'
import { isCapped } from '../push/notification.ts'
import { type DraftDevice, type DraftFacts, type DraftJudgement, failed, passed } from './draft-facts.ts'

type Devices = readonly DraftDevice[]

/** Opt-outs of the person and of each device, by the rule that opens a chunk. */
export function judgeTopic({ campaign, brand }: DraftFacts, devices: Devices): DraftJudgement {
  const { topic } = campaign
  const at = firstDue(devices)
  if (topic === TRANSACTIONAL) return passed(explanation('opt_outs_passed'), { devices, at })
  const left = devices.filter((device) => !brand.hasOptOuts || !isSilenced(device, topic))
  const [first] = devices
  if (left.length === 0 && first !== undefined) return failed(tellOptOut(first, topic), at)
  return passed(explanation('not_opted_out', { topic: topicWords(topic) }), {
    devices: left,
    at,
  })
}

function isSilenced(device: DraftDevice, topic: string | null): boolean {
  const { personOptOuts, deviceOptOuts, dueAt: now, expiresAt } = device
  const facts = {
    topic,
    optOuts: [personOptOuts, deviceOptOuts],
    quietHours: null,
    zone: 'UTC',
    now,
    expiresAt,
  }
  return withhold(facts)?.reason === OPT_OUT_REASON
}

function tellOptOut({ subscriptionId, personOptOuts, deviceOptOuts }: DraftDevice, topic: string | null) {
  const own = optOutOf(personOptOuts, topic)
  const found = own ?? optOutOf(deviceOptOuts, topic)
  const holder = own === null ? `The device ${subscriptionId}` : 'The person'
  const words = { holder, since: found?.since ?? '', topic: topicWords(found?.topic ?? topic) }
  return explanation('opted_out_now', words)
}

function topicWords(topic: string | null): string {
  return topic === null || topic === EVERYTHING ? 'everything' : topic
}

/** A message that waits for the end of the quiet hours is sent then. If one device need not wait, the person does not. */
export function judgeQuietHours({ campaign, brand }: DraftFacts, devices: Devices): DraftJudgement {
  const { quietHours, zone: brandZone } = brand
  const at = firstDue(devices)
  if (quietHours === null) return passed(explanation('no_quiet_hours'), { devices, at })
  if (campaign.topic === TRANSACTIONAL) return passed(explanation('quiet_hours_passed'), { devices, at })
  const judged = devices.map((device) => {
    const zone = device.timeZone ?? brandZone
    return { device, zone, withheld: withheldBy(quietHours, { device, zone }) }
  })
  const tell = ({ zone, withheld, device }: (typeof judged)[number]): Explanation =>
    tellQuietHours(quietHours, { zone, withheld, at: device.dueAt })
  const left = judged.filter(({ withheld }) => withheld?.kind !== 'drop')
  const free = left.find(({ withheld }) => withheld === null)
  const [first = judged[0]] = left
  if (first === undefined) return passed(explanation('no_quiet_hours'), { devices, at })
  if (left.length === 0) return failed(tell(first), first.device.dueAt)
  const finding = tell(free ?? first)
  const rest = { devices: left.map(({ device }) => device), at: (free ?? first).device.dueAt }
  if (free !== undefined || first.withheld?.kind !== 'later') return passed(finding, rest)
  return { state: 'waits', finding, ...rest, until: first.withheld.until }
}

/** When a message for a device leaves: when it is due, or when the quiet hours end for which it waits. */
export function leavesAt(
  { campaign, brand }: Pick<DraftFacts, 'campaign' | 'brand'>,
  { zone, dueAt, expiresAt }: { readonly zone: string; readonly dueAt: number; readonly expiresAt: number },
): number {
  const { topic } = campaign
  const quietHours = topic === TRANSACTIONAL ? null : brand.quietHours
  const withheld = withhold({ topic, optOuts: [], quietHours, zone, now: dueAt, expiresAt })
  return withheld?.kind === 'later' ? withheld.until : dueAt
}

type Clocked = { readonly device: DraftDevice; readonly zone: string }

function withheldBy(quietHours: QuietHours, { device, zone }: Clocked): Withheld | null {
  const { dueAt: now, expiresAt } = device
  return withhold({ topic: null, optOuts: [], quietHours, zone, now, expiresAt })
}

type QuietFinding = { readonly zone: string; readonly withheld: Withheld | null; readonly at: number }

function tellQuietHours({ from, until }: QuietHours, { zone, withheld, at }: QuietFinding): Explanation {
  const words = { from, until, zone, at: iso(at) }
  if (withheld === null) return explanation('outside_quiet_hours', words)
  return withheld.kind === 'drop'
    ? explanation('dropped_in_quiet_hours', words)
    : explanation('waits_for_quiet_end', { ...words, end: iso(withheld.until) })
}

export function judgeFrequencyCap({ campaign, brand }: DraftFacts, devices: Devices): DraftJudgement {
  const { cap } = brand
  const { topic, ignoresCap } = campaign
  const at = firstDue(devices)
  if (cap === null || !isCapped({ topic, ignoresCap, target: { kind: 'campaign' } }))
    return passed(explanation('no_cap'), { devices, at })
  const left = devices.filter(({ taken }) => taken < cap)
  const [told = devices[0]] = left
  const words = { cap, count: told?.taken ?? 0, day: told?.day ?? '' }
  return left.length === 0
    ? failed(explanation('cap_reached', words), at)
    : passed(explanation('below_cap', words), { devices: left, at })
}

function firstDue(devices: Devices): number {
  return Math.min(...devices.map(({ dueAt }) => dueAt))
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
