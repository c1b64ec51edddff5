import {
  CHECKS,
  type CheckName,
  type CheckState,
  LAST_SENT_CHECK,
  SENT_CHECKS,
  SENT_REASONS,
} from '../../rules/checks.ts'
import type { Explanation } from './explanation-text.ts'

/** One link of the chain between a message and a person. */
export type SendingCheck = {
  readonly name: CheckName
  readonly state: CheckState
  readonly rule: string
  /** The facts that the rule was held against; empty when it was not asked, or when nothing was written down. */
  readonly findings: readonly Explanation[]
  /** The instant whose facts were looked at. */
  readonly at: number | null
  /** When a message that waits goes on, if that is known. */
  readonly until: number | null
}

/** One rule of sending: the devices that it lets pass, and the fact that it saw. */
export type CheckStep<Facts, Device> = {
  readonly name: CheckName
  readonly judge: (facts: Facts, devices: readonly Device[]) => Judgement<Device>
}

export type Judgement<Device> = {
  readonly state: Exclude<CheckState, 'not_reached'>
  readonly finding: Explanation
  readonly devices: readonly Device[]
  readonly at: number
  readonly until?: number
}

/**
 * Asks one check after the other. A person is reached if one device is, so each check is about the devices that the
 * checks before it let pass. The first check that lets none pass ends the chain.
 */
export function runChecks<Facts, Device>(
  steps: readonly CheckStep<Facts, Device>[],
  facts: Facts,
  devices: readonly Device[],
): readonly SendingCheck[] {
  let left = devices
  let isOver = false
  return steps.map(({ name, judge }) => {
    if (isOver) return unasked(name, 'not_reached')
    const { state, finding, at, until = null, ...judged } = judge(facts, left)
    left = judged.devices
    isOver = state === 'failed'
    return { name, state, rule: CHECKS[name], findings: [finding], at, until }
  })
}

/** Whether no check keeps the message from the person. */
export function isLetThrough(checks: readonly SendingCheck[]): boolean {
  return checks.every(({ state }) => state !== 'failed')
}

/**
 * The chain of a stored message, from the reasons that are known. A person with several devices is reached if one device
 * is, so an outcome of a later check outweighs a stop at an earlier one.
 */
export function sentChecks(
  reasons: readonly Explanation[],
  { isCampaign }: SentKind,
): readonly SendingCheck[] {
  const names = SENT_CHECKS.filter((name) => isCampaign || !CAMPAIGN_CHECKS.includes(name))
  const told = reasons.flatMap((reason) => {
    const verdict = SENT_REASONS[reason.code]
    return verdict === undefined ? [] : [{ ...verdict, reason, place: names.indexOf(verdict.check) }]
  })
  const farthest = Math.max(-1, ...told.flatMap(({ state, place }) => (state === 'passed' ? [place] : [])))
  const stops = told.filter(({ state, place }) => state !== 'passed' && place > farthest)
  const stop = stops.toSorted((a, b) => b.place - a.place)[0]
  return names.map((name, place) => {
    const own = told.filter((one) => one.place === place)
    const findings = own.map(({ reason }) => reason)
    const common = { name, rule: CHECKS[name], findings, at: instantIn(findings), until: null }
    if (place === stop?.place) return { ...common, state: stop.state }
    const last = stop?.place ?? Math.max(farthest, names.indexOf(LAST_SENT_CHECK))
    return { ...common, state: place < last || place <= farthest ? 'passed' : 'not_reached' }
  })
}

type SentKind = { readonly isCampaign: boolean }

/** The checks that only a campaign has. */
const CAMPAIGN_CHECKS: readonly CheckName[] = ['launched', 'latest_device', 'group']

function instantIn(findings: readonly Explanation[]): number | null {
  const [first] = findings.flatMap(({ values }) => values['at'] ?? [])
  return first === undefined ? null : Date.parse(first)
}

function unasked(name: CheckName, state: CheckState): SendingCheck {
  return { name, state, rule: CHECKS[name], findings: [], at: null, until: null }
}
