import { setTimeout as wait } from 'node:timers/promises'

/** Of several clients one is always in flight, and the processes that start again have the CPU. */
const PACE_MS = 20

/** The name of all events of the people who are erased. */
export const ERASED_EVENT = 'left'

/** What was acknowledged. */
export type Acknowledged = {
  /** Events with an id or under an Idempotency-Key: each must be stored once. Told apart by their attribute `mark`. */
  readonly once: string[]
  /** Events without either: each must be stored at least once. */
  readonly atLeastOnce: string[]
  /** People who were erased, and never heard of again. */
  readonly erased: string[]
}

export type WriterOptions = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly clients: number
  readonly people: number
}

/** Clients that log events, merge people and erase some, and say the same again until it is acknowledged. */
export class EventWriters {
  readonly acknowledged: Acknowledged = { once: [], atLeastOnce: [], erased: [] }
  readonly #options: WriterOptions
  readonly #stop = new AbortController()
  readonly #clients: readonly Promise<void>[]
  #count = 0

  constructor(options: WriterOptions) {
    this.#options = options
    this.#clients = Array.from({ length: options.clients }, async () => this.#write())
  }

  get total(): number {
    const { once, atLeastOnce, erased } = this.acknowledged
    return once.length + atLeastOnce.length + erased.length
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#clients)
  }

  async #write(): Promise<void> {
    const deeds = [
      async () => this.#logWithIds(),
      async () => this.#logUnderKey(),
      async () => this.#logPlainly(),
      async () => this.#merge(),
      async () => this.#erase(),
    ]
    while (!this.#stop.signal.aborted) {
      await deeds[random(deeds.length)]?.()
      await wait(PACE_MS)
    }
  }

  async #logWithIds(): Promise<void> {
    const marks = Array.from({ length: 1 + random(20) }, () => this.#newMark())
    await this.#insist('/api/event', { nv: marks.map((mark) => ({ ...this.#event(mark), event_id: mark })) })
    this.acknowledged.once.push(...marks)
  }

  async #logUnderKey(): Promise<void> {
    const mark = this.#newMark()
    const body = { nv: [this.#event(mark)] }
    await this.#insist('/api/event', body, { headers: { 'idempotency-key': mark } })
    this.acknowledged.once.push(mark)
  }

  async #logPlainly(): Promise<void> {
    const mark = this.#newMark()
    await this.#insist('/api/event', { nv: [this.#event(mark)] })
    this.acknowledged.atLeastOnce.push(mark)
  }

  /** Somebody gives an address; when somebody else gave the same, the two turn out to be one. */
  async #merge(): Promise<void> {
    const mark = this.#newMark()
    const email = `mail-${random(this.#options.people)}@x.example`
    await this.#insist('/api/event', { nv: [{ ...this.#event(mark), email, event_id: mark }] })
    this.acknowledged.once.push(mark)
  }

  async #erase(): Promise<void> {
    const userID = this.#newMark()
    const event = { userID, event_name: ERASED_EVENT, attributes: { mark: userID }, event_id: userID }
    await this.#insist('/api/event', { nv: [event] })
    // A 404 is the echo of an erasure whose reply was lost.
    await this.#insist('/api/v1/user/delete', { nv: [{ userID }] }, { alsoFine: 404 })
    this.acknowledged.erased.push(userID)
  }

  #newMark(): string {
    return `mark-${++this.#count}`
  }

  #event(mark: string): object {
    const userID = `user-${random(this.#options.people)}`
    const name = random(2) === 0 ? 'seen' : 'bought'
    return { userID, event_name: name, ltv: '1', attributes: { mark } }
  }

  /** Says it until it is acknowledged. */
  async #insist(path: string, body: object, { headers = {}, alsoFine = 200 }: Insisting = {}): Promise<void> {
    while (true) {
      const status = await this.#post(path, body, headers)
      if (status === 200 || status === alsoFine) return
      await wait(PACE_MS) // it is down; ask again soon
    }
  }

  async #post(path: string, body: object, headers: Readonly<Record<string, string>>): Promise<number> {
    const request = {
      method: 'POST',
      headers: { ...this.#options.headers, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    }
    return fetch(this.#options.url + path, request).then(
      async (reply) => {
        await reply.arrayBuffer().catch(() => undefined)
        return reply.status
      },
      () => 0,
    )
  }
}

type Insisting = { readonly headers?: Readonly<Record<string, string>>; readonly alsoFine?: number }

function random(below: number): number {
  return Math.floor(Math.random() * below)
}
