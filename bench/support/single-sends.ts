import { setTimeout as wait } from 'node:timers/promises'
import { sandboxClient } from '../../src/delivery/sandbox/client.ts'
import type { SandboxAccess } from '../../src/delivery/sandbox/file.ts'

export type SingleSendsOptions = {
  /** The API, and what its caller sends along. */
  readonly api: string
  readonly headers: Readonly<Record<string, string>>
  readonly subscriptionId: string
  /** The sandbox that tells what arrived. */
  readonly access: SandboxAccess
  readonly everyMs: number
}

/** Sends to one person again and again, and finds out how long after each call began the provider had it. */
export class SingleSends {
  readonly #options: SingleSendsOptions
  readonly #begun = new Map<number, number>()
  readonly #tookMs = new Map<number, number>()
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>
  #refused = 0

  constructor(options: SingleSendsOptions) {
    this.#options = options
    this.#running = Promise.all([this.#send(), this.#watch()])
    // Told by `stop`. Whoever ends early for another reason must not be ended by this one.
    this.#running.catch(() => undefined)
  }

  /** Ends when the last of them arrived. */
  async stop(): Promise<Latencies> {
    this.#stop.abort()
    await this.#running
    const sorted = [...this.#tookMs.values()].toSorted((a, b) => a - b)
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return { count: sorted.length, refused: this.#refused, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
  }

  async #send(): Promise<void> {
    const { api, headers, subscriptionId, everyMs } = this.#options
    const calls: Promise<void>[] = []
    while (!this.#stop.signal.aborted) {
      const call = this.#call(`${api}/android/send`, { headers, subscriptionId })
      call.catch(() => undefined) // told when all are waited for
      calls.push(call)
      await wait(everyMs)
    }
    await Promise.all(calls)
  }

  async #call(
    url: string,
    { headers, subscriptionId }: Pick<SingleSendsOptions, 'headers' | 'subscriptionId'>,
  ): Promise<void> {
    const number = numbers.next()
    this.#begun.set(number, Date.now())
    const body = JSON.stringify({
      subscription_id: subscriptionId,
      title: 'Single',
      message: `send ${number}.`,
    })
    const reply = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    await reply.arrayBuffer()
    if (reply.status === 200) return
    this.#begun.delete(number)
    this.#refused += 1
  }

  async #watch(): Promise<void> {
    const client = sandboxClient(async () => this.#options.access)
    while (!this.#stop.signal.aborted || this.#tookMs.size < this.#begun.size) {
      for (const { arrivedAt, payload } of (await client.arrivals()) ?? []) this.#note(payload, arrivedAt)
      await wait(WATCH_EVERY_MS)
    }
  }

  #note(payload: unknown, arrivedAt: number): void {
    const number = Number(/send (\d+)\./.exec(JSON.stringify(payload))?.[1])
    const begunAt = this.#begun.get(number)
    if (begunAt !== undefined && !this.#tookMs.has(number)) this.#tookMs.set(number, arrivedAt - begunAt)
  }
}

export type Latencies = {
  readonly count: number
  /** Calls that were not accepted. */
  readonly refused: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const WATCH_EVERY_MS = 1_000

/** No two rounds use one number. */
const numbers = {
  last: 0,
  next(): number {
    this.last += 1
    return this.last
  },
}
