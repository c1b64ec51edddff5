/** What a sandbox provider took in, as the device would have got it. */
export type InboxMessage = {
  readonly platform: 'android' | 'ios' | 'web'
  /** The token, or the web subscription's endpoint. */
  readonly address: string
  readonly arrivedAt: number
  /** What a later message with the same id would replace. */
  readonly collapseId: string | null
  /** Headers that matter to the provider, without those that carry a secret. */
  readonly headers: Readonly<Record<string, string>>
  /** The message as JSON; of a web push, after decryption. */
  readonly payload: unknown
}

/** The newest arrivals, and how many there were in all. */
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
    // Cut in halves, so that a full inbox is not moved at every arrival.
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
