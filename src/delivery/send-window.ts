/**
 * Limits the messages in flight; further ones wait. A full window opens again only when half of its messages are
 * answered: messages that leave together share an encryption batch, a TLS record and a system call, while one message
 * for each answer would share nothing.
 */
export class SendWindow {
  readonly #max: number
  readonly #reopenAt: number
  readonly #waiting: (() => void)[] = []
  #inside = 0
  #isFull = false

  constructor(max: number) {
    this.#max = max
    this.#reopenAt = Math.floor(max * REOPEN_SHARE)
  }

  /** Enters if there is room; `leave` must follow. */
  tryEnter(): boolean {
    if (this.#isFull) return false
    this.#inside += 1
    this.#isFull = this.#inside >= this.#max
    return true
  }

  async enter(): Promise<void> {
    while (!this.tryEnter()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      await promise
    }
  }

  leave(): void {
    this.#inside -= 1
    if (!this.#isFull || this.#inside > this.#reopenAt) return
    this.#isFull = false
    for (const goIn of this.#waiting.splice(0)) goIn()
  }
}

const REOPEN_SHARE = 0.5
