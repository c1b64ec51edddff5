import { randomUUID } from 'node:crypto'
import { systemClock } from '../../../src/runtime/clock.ts'
import type { Call, CallReply } from '../../../src/sandbox/call.ts'
import type { Certificate } from '../../../src/sandbox/certificate.ts'
import { FaultScript } from '../../../src/sandbox/faults.ts'
import { type Provider, SandboxServer } from '../../../src/sandbox/server.ts'
import { shapeRefusal } from '../../../src/sandbox/webpush/request-checks.ts'
import { VapidHeaders } from '../../../src/sandbox/webpush/vapid.ts'
import type { Mailbox, PushMessage } from './mailbox.ts'

export type PushEndpointOptions = {
  readonly certificate: Certificate
  /** Whose path it is; null for nobody's. */
  readonly find: (path: string) => Mailbox | null
  /** What senders must name as their audience; where it listens, when not given. */
  readonly origin?: string
}

/**
 * The half of a push service that senders talk to (RFC 8030), checking what the real ones check. It cannot read what
 * it passes on: that is left to the browser.
 */
export class PushEndpoint {
  /** Status of every answer, in order. */
  readonly answered: number[] = []
  readonly #options: PushEndpointOptions
  readonly #server: SandboxServer
  readonly #vapidHeaders = new VapidHeaders()
  #last: (() => void) | null = null

  constructor(options: PushEndpointOptions) {
    this.#options = options
    const provider: Provider = {
      settings: { streamsMax: 100, headerBytesMax: 16_384 },
      protocols: ['h2', 'http/1.1'],
      faults: new FaultScript(),
      addressOf: ({ path }) => path,
      answer: (call) => this.#answer(call),
    }
    this.#server = new SandboxServer(provider, options.certificate)
  }

  async listen(): Promise<void> {
    await this.#server.listen(0)
  }

  get origin(): string {
    return this.#options.origin ?? this.#server.origin
  }

  /** The `host:port` on this machine. */
  get place(): string {
    return new URL(this.#server.origin).host
  }

  /** Brings the newest message once more under a new id, as push services do when a confirmation is lost. */
  repeat(): void {
    if (this.#last === null) throw new Error('nothing was sent yet')
    this.#last()
  }

  async close(): Promise<void> {
    await this.#server.close()
  }

  #answer(call: Call): CallReply {
    const { status, message } = this.#judge(call)
    this.answered.push(status)
    const headers = status === 201 ? { location: `${this.origin}/m/${randomUUID()}` } : {}
    return { status, headers, body: message }
  }

  #judge(call: Call): { readonly status: number; readonly message: string } {
    const mailbox = call.method === 'POST' ? this.#options.find(call.path) : null
    if (mailbox === null) return { status: 404, message: 'unknown subscription' }
    if (mailbox.isGone) return { status: 410, message: 'unsubscribed' }
    const refusal = shapeRefusal(call)
    if (refusal !== null) return refusal
    const check = { audience: this.origin, now: systemClock.now() }
    const vapid = this.#vapidHeaders.judge(call.headers.authorization, check)
    if (typeof vapid === 'string') return { status: 401, message: vapid }
    if (vapid.key !== mailbox.vapidKey) return { status: 403, message: 'another key than subscribed with' }
    const pushed: PushMessage = { body: call.body, ttlSeconds: Number(call.headers['ttl']) }
    this.#last = () => mailbox.put(pushed)
    mailbox.put(pushed)
    return { status: 201, message: '' }
  }
}
