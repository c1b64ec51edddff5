import type { Verdict } from '../domain/push/verdict.ts'
import type { VerdictListener } from '../providers/channel.ts'
import type { Recipient } from '../store/push/recipient.ts'
import type { SendWindow } from './send-window.ts'

/** Hears that a message has landed: with a verdict, or with null if our own machinery failed. */
type OnLanded = (message: MessageInFlight, verdict: Verdict | null) => void

/**
 * A message that was handed over. It is the listener of its own verdict: one object, where a listener of closures would be
 * four for each message of a broadcast. It lands once, whatever calls it.
 */
export class MessageInFlight implements VerdictListener {
  readonly recipient: Recipient
  readonly window: SendWindow
  readonly #onLanded: OnLanded
  #isLanded = false

  constructor({ recipient, window }: Pick<MessageInFlight, 'recipient' | 'window'>, onLanded: OnLanded) {
    this.recipient = recipient
    this.window = window
    this.#onLanded = onLanded
  }

  onVerdict(verdict: Verdict): void {
    this.#land(verdict)
  }

  onError(): void {
    this.#land(null)
  }

  #land(verdict: Verdict | null): void {
    if (this.#isLanded) return
    this.#isLanded = true
    this.#onLanded(this, verdict)
  }
}
