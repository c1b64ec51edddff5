import { randomUUID } from 'node:crypto'
import type { Clock } from '../../runtime/clock.ts'
import type { Call, CallReply } from '../call.ts'
import { FaultScript } from '../faults.ts'
import type { Inbox } from '../inbox.ts'
import { parseObject } from '../jwt.ts'
import type { Provider } from '../server.ts'
import { decryptPush } from './decryption.ts'
import { shapeRefusal, type WebPushProblem } from './request-checks.ts'
import {
  ENDPOINT_PATH,
  isBoundTo,
  type Subscriber,
  Subscriptions,
  type WebSubscription,
} from './subscriptions.ts'
import { VapidHeaders } from './vapid.ts'

type WebSandboxOptions = {
  readonly clock: Clock
  readonly inbox: Inbox
  readonly seed: Buffer
  /** The origin of the push service: endpoints begin with it, and senders must name it as their audience. */
  readonly origin: () => string
}

/** A push service like Mozilla's, together with the browser that decrypts its messages. */
export class WebSandbox implements Provider {
  readonly settings = { streamsMax: 128, headerBytesMax: 16_384 }
  readonly protocols = ['h2', 'http/1.1'] as const
  readonly faults = new FaultScript()
  readonly #options: WebSandboxOptions
  readonly #subscriptions: Subscriptions
  readonly #vapidHeaders = new VapidHeaders()
  readonly #unsubscribed = new Set<string>()

  constructor(options: WebSandboxOptions) {
    this.#options = options
    this.#subscriptions = new Subscriptions(options.seed)
  }

  /** A browser that allows notifications; with a VAPID key, from that sender only. */
  newSubscription(vapidKey: string | null = null): WebSubscription {
    return this.#subscriptions.make(this.#options.origin(), vapidKey)
  }

  unsubscribe(endpoint: string): void {
    if (this.#unsubscribed.size >= UNSUBSCRIBED_MAX) throw new Error('too many unsubscribed')
    this.#unsubscribed.add(endpoint)
  }

  addressOf(call: Call): string {
    return `${this.#options.origin()}${call.path}`
  }

  receiptOf(call: Call): string | null {
    const subscriber = this.#subscriberOf(call)
    const text =
      'errno' in subscriber || call.bytes === 0 ? null : decryptPush(call.body, subscriber.openKeys())
    const receipt = parseObject(text ?? '')?.['receipt']
    return typeof receipt === 'string' ? receipt : null
  }

  answer(call: Call): CallReply {
    const subscriber = this.#subscriberOf(call)
    if ('errno' in subscriber) return refusalReply(subscriber)
    const refusal = shapeRefusal(call) ?? this.#senderRefusal(call, subscriber)
    if (refusal !== null) return refusalReply(refusal)
    this.#accept(call, subscriber)
    const location = `${this.#options.origin()}/m/${randomUUID()}`
    return { status: 201, headers: { location, ttl: String(call.headers['ttl']) }, body: '' }
  }

  #subscriberOf(call: Call): Subscriber | WebPushProblem {
    const isPush = call.method === 'POST' && call.path.startsWith(ENDPOINT_PATH)
    const subscriber = isPush ? this.#subscriptions.find(call.path.slice(ENDPOINT_PATH.length)) : null
    if (subscriber === null) return { status: 404, errno: 102, message: 'Unknown subscription' }
    const isGone = this.#unsubscribed.has(this.addressOf(call))
    return isGone ? { status: 410, errno: 106, message: 'Unsubscribed' } : subscriber
  }

  #senderRefusal(call: Call, subscriber: Subscriber): WebPushProblem | null {
    const check = { audience: this.#options.origin(), now: this.#options.clock.now() }
    const vapid = this.#vapidHeaders.judge(call.headers.authorization, check)
    if (typeof vapid === 'string') return { status: 401, errno: 109, message: vapid }
    return isBoundTo(subscriber, vapid.key)
      ? null
      : { status: 401, errno: 109, message: 'Public key mismatch' }
  }

  #accept(call: Call, subscriber: Subscriber): void {
    const { ttl, topic, urgency } = call.headers
    // The call itself is not kept: it has its connection.
    const body = call.bytes === 0 ? null : Buffer.from(call.body)
    let payload: unknown
    this.#options.inbox.add({
      platform: 'web',
      address: this.addressOf(call),
      arrivedAt: this.#options.clock.now(),
      collapseId: typeof topic === 'string' ? topic : null,
      headers: { ttl: String(ttl), urgency: String(urgency ?? 'normal') },
      // A broadcast brings more messages than anybody looks at, and decryption is most of the work.
      get payload() {
        payload ??= body && readPush(body, subscriber)
        return payload
      },
    })
  }
}

function readPush(body: Buffer, { openKeys }: Subscriber): unknown {
  const text = decryptPush(body, openKeys())
  return text === null ? null : readable(text)
}

const UNSUBSCRIBED_MAX = 1_000_000

function refusalReply({ status, errno, message }: WebPushProblem): CallReply {
  const body = JSON.stringify({ code: status, errno, error: STATUS_WORDS[status] ?? '', message })
  return { status, headers: { 'content-type': 'application/json' }, body }
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  410: 'Gone',
  413: 'Payload Too Large',
}

/** The parsed JSON, or the text itself: a sender may test with plain text. */
function readable(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
