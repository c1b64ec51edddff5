import { settle, type Try } from '../domain/push/settle.ts'
import type { Verdict } from '../domain/push/verdict.ts'
import type { Recipient } from '../store/push/recipients.ts'
import type { Outcome } from '../store/push/settle.ts'
import type { DeadSubscription } from '../store/subscriptions/retire.ts'

/** What a provider said of one recipient, not yet written down. */
export type Answered = {
  readonly recipient: Recipient
  readonly verdict: Verdict
}

/** What is to be written of them. */
export type Entry = {
  readonly outcomes: readonly Outcome[]
  readonly dead: readonly DeadSubscription[]
}

/** Turns verdicts into rows. Whoever's verdict leaves the delivery untouched gets none. */
export function entryOf(answers: readonly Answered[], attempted: Try): Entry {
  return {
    outcomes: answers.flatMap((answered) => outcomeOf(answered, attempted)),
    dead: answers.flatMap(deadOf),
  }
}

function outcomeOf({ recipient, verdict }: Answered, attempted: Try): readonly Outcome[] {
  const settlement = settle(verdict, attempted)
  if (settlement.kind === 'untouched') return []
  const common = { recipientId: recipient.id, reason: settlement.reason }
  if (settlement.kind === 'again') return [{ ...common, state: 'retrying', retryAt: settlement.at }]
  return [{ ...common, state: settlement.state, retryAt: null }]
}

function deadOf({ recipient, verdict }: Answered): readonly DeadSubscription[] {
  if (verdict.kind !== 'gone') return []
  const { reason, goneAt } = verdict
  return [{ id: recipient.id, registeredAt: recipient.registeredAt, reason, goneAt }]
}
