import { createHash, createHmac } from 'node:crypto'
import { encodeJson, type JsonObject } from '../values/json.ts'

/** One event on its way to one endpoint. */
export type WebhookMessage = {
  readonly id: string
  readonly type: string
  readonly at: number
  readonly data: JsonObject
}

/** The headers and the body of a call. */
export type WebhookCall = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

type CallFacts = {
  readonly messages: readonly WebhookMessage[]
  /** Whether the endpoint takes many events in one call: then it gets an array, also of one. */
  readonly isBatched: boolean
  /** The secrets that sign now, in the form `whsec_…`. */
  readonly secrets: readonly string[]
  readonly now: number
}

/** Renders and signs one call as Standard Webhooks has it: every live secret signs, so a rotation interrupts nobody. */
export function renderCall({ messages, isBatched, secrets, now }: CallFacts): WebhookCall {
  const events = messages.map(({ id, type, at, data }) => ({
    id: messageId(id),
    type,
    timestamp: new Date(at).toISOString(),
    data,
  }))
  const body = encodeJson(isBatched ? events : events[0])
  const id = isBatched ? batchId(messages) : messageId(messages[0]?.id ?? '')
  const timestamp = String(Math.floor(now / 1_000))
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Beckon-Webhooks',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': secrets.map((secret) => sign(secret, `${id}.${timestamp}.${body}`)).join(' '),
    },
    body,
  }
}

/** The id stays the same in every attempt, so that a receiver can recognise a repetition. */
export function messageId(id: string): string {
  return `msg_${id}`
}

/** The same events together again are the same batch; each event has its own id inside. */
function batchId(messages: readonly WebhookMessage[]): string {
  const hash = createHash('sha256').update(messages.map(({ id }) => id).join())
  return `batch_${hash.digest('hex').slice(0, 32)}`
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
