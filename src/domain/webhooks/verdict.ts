import { WEBHOOK_RETRY_DELAYS_MS, WEBHOOK_RULES } from '../../rules/webhooks.ts'

/** The answer of an endpoint to a call. `unreached` means that no complete answer came in time. */
export type WebhookAnswer =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly retryAfterMs: number
      readonly text: string
    }
  | { readonly kind: 'unreached'; readonly reason: string }

/** The next state of the endpoint. A pause delays all its messages, not only those of this call. */
export type EndpointFate =
  | { readonly kind: 'well' }
  | { readonly kind: 'failing'; readonly pausedUntil: number | null }
  | { readonly kind: 'gone' }

/** Any 2xx is a success and everything else is not; a redirect is never followed (Standard Webhooks). */
export function judgeEndpoint(answer: WebhookAnswer, now: number): EndpointFate {
  if (answer.kind === 'unreached') return { kind: 'failing', pausedUntil: null }
  const { status, retryAfterMs } = answer
  if (status >= 200 && status < 300) return { kind: 'well' }
  if (status === 410) return { kind: 'gone' }
  const pauseMs = retryAfterMs > 0 ? retryAfterMs : (OVERLOADED.get(status) ?? 0)
  return {
    kind: 'failing',
    pausedUntil: pauseMs === 0 ? null : now + Math.min(pauseMs, WEBHOOK_RULES.pauseMsMax),
  }
}

const OVERLOADED = new Map([429, 502, 503, 504].map((status) => [status, WEBHOOK_RULES.pauseMs]))

type MessageTry = {
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly now: number
  /** In [0, 1). */
  readonly jitter: number
}

export type MessageFate =
  | { readonly state: 'delivered' | 'failed'; readonly readyAt: null }
  | { readonly state: 'waiting'; readonly readyAt: number }

/** The next state of one message of a call. */
export function settleMessage(fate: EndpointFate, { attempt, now, jitter }: MessageTry): MessageFate {
  if (fate.kind === 'well') return { state: 'delivered', readyAt: null }
  const delayMs = WEBHOOK_RETRY_DELAYS_MS[attempt - 1]
  if (delayMs === undefined) return { state: 'failed', readyAt: null }
  const spread = 0.8 + 0.4 * jitter
  const pausedUntil = fate.kind === 'failing' ? (fate.pausedUntil ?? 0) : 0
  return { state: 'waiting', readyAt: Math.max(now + Math.round(delayMs * spread), pausedUntil) }
}
