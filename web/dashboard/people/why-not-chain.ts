/** The checks that every message passes for a person, in their order. */
export const CHECKS = [
  'audience',
  'held',
  'device',
  'topic',
  'cap',
  'quiet',
  'handed',
  'shown',
  'tapped',
] as const

export type Check = (typeof CHECKS)[number]

/** Which check a reason of the API belongs to, and whether it passed. A code not listed here is a remark. */
const REASONS: Readonly<Record<string, { readonly check: Check; readonly passed: boolean }>> = {
  not_addressed: { check: 'audience', passed: false },
  not_in_segment: { check: 'audience', passed: false },
  not_in_filter: { check: 'audience', passed: false },
  not_listed: { check: 'audience', passed: false },
  got_other_campaign: { check: 'audience', passed: false },
  tag_missing: { check: 'audience', passed: false },
  campaign_not_launched: { check: 'audience', passed: false },
  campaign_awaits_approval: { check: 'audience', passed: false },
  campaign_awaits_consent: { check: 'audience', passed: false },
  held_out: { check: 'held', passed: false },
  in_control_group: { check: 'held', passed: false },
  not_in_test: { check: 'held', passed: false },
  variant_chosen: { check: 'held', passed: true },
  in_test: { check: 'held', passed: true },
  never_subscribed: { check: 'device', passed: false },
  no_live_subscription: { check: 'device', passed: false },
  subscribed_later: { check: 'device', passed: false },
  other_device: { check: 'device', passed: false },
  opted_out: { check: 'topic', passed: false },
  opted_out_before: { check: 'topic', passed: false },
  frequency_capped: { check: 'cap', passed: false },
  quiet_dropped: { check: 'quiet', passed: false },
  quiet_later: { check: 'quiet', passed: false },
  quiet_waited: { check: 'quiet', passed: true },
  scheduled: { check: 'handed', passed: false },
  pending: { check: 'handed', passed: false },
  obstructed: { check: 'handed', passed: false },
  notification_cancelled: { check: 'handed', passed: false },
  notification_failed: { check: 'handed', passed: false },
  retrying: { check: 'handed', passed: false },
  failed: { check: 'handed', passed: false },
  outcome_unknown: { check: 'handed', passed: false },
  expired: { check: 'handed', passed: false },
  cancelled: { check: 'handed', passed: false },
  accepted: { check: 'handed', passed: true },
  received: { check: 'shown', passed: true },
  clicked: { check: 'tapped', passed: true },
}

export type Reason = { readonly code: string; readonly message: string }

export type Link = {
  readonly check: Check
  readonly state: 'passed' | 'stopped' | 'never' | 'waiting'
  readonly messages: readonly string[]
}

/**
 * The chain of checks that these reasons tell: passed up to the one that stopped the message, never reached after it. A
 * person with several devices is reached if one device is, so a reason that passed later outweighs an earlier stop.
 */
export function chainOf(reasons: readonly Reason[]): readonly Link[] {
  const known = reasons.flatMap(({ code, message }) => {
    const row = REASONS[code]
    return row === undefined ? [] : [{ ...row, message }]
  })
  const reached = Math.max(
    -1,
    ...known.filter(({ passed }) => passed).map(({ check }) => CHECKS.indexOf(check)),
  )
  const stops = known.filter(({ passed }) => !passed).map(({ check }) => CHECKS.indexOf(check))
  const stop = Math.min(CHECKS.length, ...stops.filter((index) => index > reached))
  const handed = CHECKS.indexOf('handed')
  return CHECKS.map((check, index) => ({
    check,
    state: stateAt(index, { reached, stop, handed }),
    messages: known.filter((row) => row.check === check).map(({ message }) => message),
  }))
}

type Marks = { readonly reached: number; readonly stop: number; readonly handed: number }

function stateAt(index: number, { reached, stop, handed }: Marks): Link['state'] {
  if (index === stop) return 'stopped'
  if (index < stop && (index <= reached || index < handed)) return 'passed'
  if (index > stop) return 'never'
  return 'waiting'
}

/** Sentences that belong to no check, such as the language that was chosen. */
export function remarksOf(reasons: readonly Reason[]): readonly string[] {
  return reasons.filter(({ code }) => !(code in REASONS)).map(({ message }) => message)
}
