import { type DeliveryAttempt, outcomeOf, spreadJitter } from '../domain/push/outcome.ts'
import type { Verdict } from '../domain/push/verdict.ts'
import type { ChosenContents } from '../store/push/chosen-contents.ts'
import type { Recipient } from '../store/push/recipient.ts'
import type { RecipientOutcome } from '../store/push/settlement.ts'
import type { DeadSubscription } from '../store/subscriptions/retire.ts'

/** The verdict on one recipient's message, not yet written down. */
export type RecipientVerdict = {
  readonly recipient: Recipient
  readonly verdict: Verdict
  /** When the answer came. */
  readonly at: number
}

/** The attempt that the verdicts are on, and the content of each recipient. */
type Attempted = DeliveryAttempt & Pick<ChosenContents, 'choices'>

/** The outcomes to write, their retries spread in time. A verdict that leaves the delivery as it was gives none. */
export function outcomesOf(
  verdicts: readonly RecipientVerdict[],
  attempted: Attempted,
): readonly RecipientOutcome[] {
  const { jitter } = attempted
  const retried = verdicts.filter(isRetried)
  const count = retried.length
  return [
    ...verdicts.filter((one) => !isRetried(one)).flatMap((one) => recipientOutcome(one, attempted)),
    ...retried.flatMap((one, place) =>
      recipientOutcome(one, { ...attempted, jitter: spreadJitter(jitter, { place, count }) }),
    ),
  ]
}

function isRetried({ verdict }: RecipientVerdict): boolean {
  return verdict.kind === 'retry' || verdict.kind === 'unknown'
}

function recipientOutcome(
  { recipient, verdict }: RecipientVerdict,
  attempted: Attempted,
): readonly RecipientOutcome[] {
  const outcome = outcomeOf(verdict, attempted)
  if (outcome === null) return []
  const { language, variant } = attempted.choices.get(recipient.id) ?? NO_CHOICE
  return [{ recipientId: recipient.id, unknowns: 0, ...outcome, language, variant }]
}

const NO_CHOICE = { language: null, variant: null } as const

/** The verdicts that say something about the channel. An answer of the sandbox to a virtual device does not. */
export function ofChannel(verdicts: readonly RecipientVerdict[]): readonly RecipientVerdict[] {
  return verdicts.filter(({ recipient }) => !recipient.isVirtual)
}

/** The subscriptions whose address is dead. */
export function deadAmong(verdicts: readonly RecipientVerdict[]): readonly DeadSubscription[] {
  return verdicts.flatMap(({ recipient: { id, registeredAt }, verdict }) => {
    if (verdict.kind !== 'gone') return []
    const { reason, goneAt } = verdict
    return [{ id, registeredAt, reason, goneAt }]
  })
}
