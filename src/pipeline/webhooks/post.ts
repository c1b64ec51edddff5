import { renderCall, type WebhookMessage } from '../../domain/webhooks/call.ts'
import { liveSecrets } from '../../domain/webhooks/secrets.ts'
import type { WebhookAnswer } from '../../domain/webhooks/verdict.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Sealer } from '../../runtime/secrets/sealed.ts'
import type { Database } from '../../store/db.ts'
import { type EndpointRef, loadEndpoint, loadSecrets } from '../../store/webhooks/endpoints.ts'
import type { WebhookClient } from './client.ts'

export type WebhookDeps = {
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly client: WebhookClient
}

/** The answer to a call, and its line in the log. */
export type Posted = { readonly answer: WebhookAnswer; readonly attempt: Attempt; readonly at: number }

/** One try, as the log keeps it. */
export type Attempt = {
  readonly at: string
  readonly took_ms: number
  readonly status: number | null
  readonly error: string | null
  readonly answer: string
}

/** Sends messages to their endpoint in one call; null when the endpoint is gone. */
export async function postMessages(
  { database, sealer, clock, client }: WebhookDeps,
  ref: EndpointRef,
  messages: readonly WebhookMessage[],
  signal: AbortSignal,
): Promise<Posted | null> {
  const endpoint = await loadEndpoint(database, ref)
  if (endpoint === null) return null
  const now = clock.now()
  const secrets = liveSecrets(await loadSecrets(database, sealer, ref), now).map(({ secret }) => secret)
  const call = renderCall({ messages, isBatched: endpoint.batchMax > 1, secrets, now })
  const beganAt = performance.now()
  const answer = await client.post({ url: endpoint.url, call }, signal)
  const tookMs = Math.round(performance.now() - beganAt)
  const isAnswered = answer.kind === 'answered'
  const attempt = {
    at: new Date(now).toISOString(),
    took_ms: tookMs,
    status: isAnswered ? answer.status : null,
    error: isAnswered ? null : answer.reason,
    answer: isAnswered ? answer.text : '',
  }
  return { answer, attempt, at: now }
}
