import { setTimeout as wait } from 'node:timers/promises'

/** Of several clients one is always in flight, and the processes that start again have the CPU. */
const PACE_MS = 50

export type FactCallersOptions = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly clients: number
  /** A device that can be pushed to. */
  readonly newToken: () => string
}

/** What was acknowledged of one person; the person's name is also that of the device. */
export type AcknowledgedPerson = { readonly name: string; readonly notificationId: string }

/**
 * Clients of a service that dies now and then. Each makes a person, gives them a device, notifies them and logs the event
 * that starts a journey, and says each of these again until it is acknowledged.
 */
export class FactCallers {
  readonly acknowledged: AcknowledgedPerson[] = []
  readonly #options: FactCallersOptions
  readonly #stop = new AbortController()
  readonly #clients: readonly Promise<void>[]
  #count = 0

  constructor(options: FactCallersOptions) {
    this.#options = options
    this.#clients = Array.from({ length: options.clients }, async () => this.#call())
  }

  /** The person whom each client is at is seen through first. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#clients)
  }

  async #call(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const name = `person-${++this.#count}`
      const token = this.#options.newToken()
      await this.#insist('/api/v1/user/create', { nv: [{ userID: name }] })
      const device = { platform: 'ios', token, subscription_id: name, user_id: name }
      await this.#insist('/api/v1/subscriptions', device)
      const message = { user_id: name, title: 'Hello', message: 'World' }
      const sent = await this.#insist('/api/v1/ios/send', message, { 'idempotency-key': name })
      const event = { userID: name, event_name: 'signup', attributes: {}, event_id: name }
      await this.#insist('/api/event', { nv: [event] })
      const notificationId = /"id":"([^"]+)"/.exec(sent)?.[1] ?? ''
      this.acknowledged.push({ name, notificationId })
      await wait(PACE_MS)
    }
  }

  /** Says it until it is acknowledged, and gives the reply. */
  async #insist(path: string, body: object, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const { url, headers } = this.#options
    const request = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
    }
    while (true) {
      const signal = AbortSignal.timeout(60_000)
      const reply = await fetch(url + path, { ...request, signal }).catch(() => null)
      const text = await reply?.text().catch(() => null)
      if (reply?.status === 200 && typeof text === 'string') return text
      await wait(20) // it is down; ask again soon
    }
  }
}
