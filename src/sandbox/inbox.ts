/** A message that a sandbox provider accepted, as the device would get it. */
export type InboxMessage = {
  readonly platform: 'android' | 'ios' | 'web'
  /** The token, or the web subscription's endpoint. */
  readonly address: string
  readonly arrivedAt: number
  /** A later message with the same id would replace this one on the device. */
  readonly collapseId: string | null
  /** Headers that matter to the provider, without those that carry a secret. */
  readonly headers: Readonly<Record<string, string>>
  /** The message as JSON; of a web push, after decryption. */
  readonly payload: unknown
}

/** The newest messages, and the count of all. */
export class Inbox {
  readonly #arrivalsMax: number
  #arrivals: InboxMessage[] = []
  #total = 0

  constructor(arrivalsMax: number) {
    this.#arrivalsMax = arrivalsMax
  }

  get total(): number {
    return this.#total
  }

  add(arrival: InboxMessage): void {
    this.#total += 1
    this.#arrivals.push(arrival)
    // Half of the list is dropped at once, so that a full inbox is not copied for every message.
    if (this.#arrivals.length >= this.#arrivalsMax * 2) this.#arrivals = [...this.newest(this.#arrivalsMax)]
  }

  /** Oldest first. */
  newest(count = this.#arrivalsMax): readonly InboxMessage[] {
    return this.#arrivals.slice(-Math.min(count, this.#arrivalsMax))
  }

  clear(): void {
    this.#arrivals = []
    this.#total = 0
  }
}
