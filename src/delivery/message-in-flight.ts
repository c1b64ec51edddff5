import type { Verdict } from '../domain/push/verdict.ts'
import type { VerdictListener } from '../providers/channel.ts'
import type { Recipient } from '../store/push/recipient.ts'
import type { SendWindow } from './send-window.ts'

/** Called when a message has landed: with its verdict, or with null if our own machinery failed. */
type OnLanded = (message: MessageInFlight, verdict: Verdict | null) => void

/**
 * A message that is being sent and has no verdict yet. The message is the listener of its own verdict, so it is one object in place of a
 * listener and three closures. A message lands once, whatever calls it.
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
