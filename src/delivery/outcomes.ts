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
  const outcomes: RecipientOutcome[] = []
  const retried: RecipientVerdict[] = []
  const add = (one: RecipientVerdict, given: Attempted): void => {
    const outcome = recipientOutcome(one, given)
    if (outcome !== null) outcomes.push(outcome)
  }
  for (const one of verdicts) {
    if (isRetried(one)) retried.push(one)
    else add(one, attempted)
  }
  const count = retried.length
  for (const [place, one] of retried.entries()) {
    add(one, { ...attempted, jitter: spreadJitter(jitter, { place, count }) })
  }
  return outcomes
}

function isRetried({ verdict }: RecipientVerdict): boolean {
  return verdict.kind === 'retry' || verdict.kind === 'unknown'
}

function recipientOutcome(
  { recipient, verdict }: RecipientVerdict,
  attempted: Attempted,
): RecipientOutcome | null {
  const outcome = outcomeOf(verdict, attempted)
  if (outcome === null) return null
  const { choices } = attempted
  // Nearly all broadcasts have one content, and the hash of a bigint costs more than the outcome.
  const { language, variant } = (choices.size === 0 ? undefined : choices.get(recipient.id)) ?? NO_CHOICE
  const { state, reason, retryAt } = outcome
  const unknowns = outcome.state === 'retrying' ? outcome.unknowns : 0
  return { recipientId: recipient.id, state, reason, retryAt, unknowns, language, variant }
}

const NO_CHOICE = { language: null, variant: null } as const

/** The verdicts that say something about the channel. An answer of the sandbox to a virtual device does not. */
export function ofChannel(verdicts: readonly RecipientVerdict[]): readonly RecipientVerdict[] {
  return verdicts.some(({ recipient }) => recipient.isVirtual)
    ? verdicts.filter(({ recipient }) => !recipient.isVirtual)
    : verdicts
}

/** The subscriptions whose address is dead. */
export function deadAmong(verdicts: readonly RecipientVerdict[]): readonly DeadSubscription[] {
  const dead: DeadSubscription[] = []
  for (const { recipient, verdict } of verdicts) {
    if (verdict.kind !== 'gone') continue
    const { id, registeredAt } = recipient
    const { reason, goneAt } = verdict
    dead.push({ id, registeredAt, reason, goneAt })
  }
  return dead
}
