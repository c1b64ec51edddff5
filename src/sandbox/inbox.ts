import { VIRTUAL_LIMITS } from '../rules/virtual-devices.ts'
import { BoundedCache } from '../runtime/limits/cache.ts'

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

/**
 * The newest messages, and the count of all. The newest messages of a watched address are kept apart, so that a broadcast
 * to other devices does not push them out.
 */
export class Inbox {
  readonly #arrivalsMax: number
  #arrivals: InboxMessage[] = []
  #total = 0
  readonly #watched = new BoundedCache<string, readonly InboxMessage[]>({ capacity: WATCHED_MAX })

  constructor(arrivalsMax: number) {
    this.#arrivalsMax = arrivalsMax
  }

  get total(): number {
    return this.#total
  }

  add(arrival: InboxMessage): void {
    this.#total += 1
    const name = nameOf(arrival.address)
    const kept = this.#watched.get(name)
    if (kept !== undefined) this.#watched.set(name, [...kept, arrival].slice(-KEPT_MAX))
    this.#arrivals.push(arrival)
    // Half of the list is dropped at once, so that a full inbox is not copied for every message.
    if (this.#arrivals.length >= this.#arrivalsMax * 2) this.#arrivals = [...this.newest(this.#arrivalsMax)]
  }

  /** Oldest first. */
  newest(count = this.#arrivalsMax): readonly InboxMessage[] {
    return this.#arrivals.slice(-Math.min(count, this.#arrivalsMax))
  }

  /** The newest messages of one address, oldest first. From the first call on, the address is watched. */
  watch(address: string): readonly InboxMessage[] {
    const name = nameOf(address)
    const kept = this.#watched.get(name) ?? this.#search(name)
    this.#watched.set(name, kept)
    return kept
  }

  clear(): void {
    this.#arrivals = []
    this.#total = 0
    this.#watched.clear()
  }

  #search(name: string): readonly InboxMessage[] {
    return this.newest()
      .filter(({ address }) => nameOf(address) === name)
      .slice(-KEPT_MAX)
  }
}

const WATCHED_MAX = 2_000
/** A message that replaces another on the device takes no place from others, so that more are kept than are shown. */
const KEPT_MAX = VIRTUAL_LIMITS.messagesMax * 2

/** The address without the port of the sandbox, which is another one after each start. */
function nameOf(address: string): string {
  return address.replace(/^https:\/\/[^/]*/, '')
}
