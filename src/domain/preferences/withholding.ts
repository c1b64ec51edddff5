import { OPT_OUT_REASON, QUIET_REASON } from '../../rules/topics.ts'
import { type OptOuts, optOutOf } from './opt-outs.ts'
import { type QuietHours, quietHoursEnd } from './quiet-hours.ts'

/** The effect that the preferences of a recipient, and the brand's quiet hours, have on one message. */
export type Withheld =
  | { readonly kind: 'drop'; readonly reason: string }
  /** The message is sent when the quiet hours end. */
  | { readonly kind: 'later'; readonly reason: string; readonly until: number }

/** A message that is about to be sent to one recipient. */
export type WithholdingFacts = {
  readonly topic: string | null
  /** The opt-outs of the device and of its person, where they have any. */
  readonly optOuts: readonly OptOuts[]
  /** Null when none hold for this message. */
  readonly quietHours: QuietHours | null
  readonly zone: string
  readonly now: number
  /** No message is sent after this time. */
  readonly expiresAt: number
}

/** An opt-out goes before quiet hours: nothing is sent later either. Null when the message may be sent now. */
export function withhold(facts: WithholdingFacts): Withheld | null {
  const { topic, optOuts, quietHours, zone, now, expiresAt } = facts
  if (optOuts.some((given) => optOutOf(given, topic) !== null))
    return { kind: 'drop', reason: OPT_OUT_REASON }
  const until = quietHours === null ? null : quietHoursEnd(quietHours, zone, now)
  if (quietHours === null || until === null) return null
  const isLate = quietHours.inside === 'drop' || until >= expiresAt
  return isLate ? { kind: 'drop', reason: QUIET_REASON } : { kind: 'later', reason: QUIET_REASON, until }
}
