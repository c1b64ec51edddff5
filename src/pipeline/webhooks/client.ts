import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isPublicAddress } from '../../domain/values/public-address.ts'
import { retryAfterMs } from '../../domain/values/retry-after.ts'
import type { WebhookCall } from '../../domain/webhooks/call.ts'
import type { WebhookAnswer } from '../../domain/webhooks/verdict.ts'
import { WEBHOOK_RULES } from '../../rules/webhooks.ts'
import {
  type AddressGuard,
  BlockedAddress,
  guardLookup,
  hostOf,
  systemResolve,
} from '../../runtime/address-guard.ts'
import { errorCode } from '../../runtime/errors.ts'

export type WebhookClientOptions = {
  readonly guard: AddressGuard
  /** How long an endpoint may take; tests are less patient. */
  readonly answerMs?: number
}

export type WebhookPost = { readonly url: string; readonly call: WebhookCall }

/** A client that may go anywhere public, and to the private hosts that the settings name as `host:port`. */
export function openWebhookClient(hosts: readonly string[]): WebhookClient {
  const guard = { allowed: new Set(hosts), isPublic: isPublicAddress, resolve: systemResolve }
  return new WebhookClient({ guard })
}

const CONNECTIONS = {
  keepAlive: true,
  keepAliveMsecs: 30_000,
  maxSockets: 16,
  maxFreeSockets: 4,
  timeout: 60_000,
}

/**
 * Calls other people's servers: past the address guard, within a time limit, following nobody anywhere, and reading no
 * more of an answer than is shown. Whatever goes wrong on the way is an answer too; only an abort throws.
 */
export class WebhookClient {
  readonly #options: WebhookClientOptions
  readonly #agents = { 'http:': new HttpAgent(CONNECTIONS), 'https:': new HttpsAgent(CONNECTIONS) }

  constructor(options: WebhookClientOptions) {
    this.#options = options
  }

  async post(post: WebhookPost, signal: AbortSignal): Promise<WebhookAnswer> {
    const { answerMs = WEBHOOK_RULES.answerMs } = this.#options
    const limit = AbortSignal.timeout(answerMs)
    try {
      const response = await this.#send(post, AbortSignal.any([signal, limit]))
      const { statusCode = 0, headers } = response
      const text = await readStart(response)
      const waitMs = retryAfterMs(headers['retry-after'] ?? null, Date.now()) ?? 0
      return { kind: 'answered', status: statusCode, retryAfterMs: waitMs, text }
    } catch (error) {
      signal.throwIfAborted()
      return { kind: 'unreached', reason: limit.aborted ? 'timeout' : reasonOf(error) }
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  async #send({ url, call }: WebhookPost, signal: AbortSignal): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const lookup = guardLookup(this.#options.guard, hostOf(url))
    const options = { method: 'POST', headers: call.headers, lookup, signal }
    // The scheme may be written in any letter case.
    const request: ClientRequest =
      new URL(url).protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: this.#agents['https:'], minVersion: 'TLSv1.2' })
        : httpRequest(url, { ...options, agent: this.#agents['http:'] })
    request.on('response', resolve)
    request.on('error', reject)
    // An answer that changes the protocol (101) is neither a response nor an error; all it leaves is a close.
    request.on('close', () => reject(new NoAnswer()))
    request.end(call.body)
    return promise
  }
}

class NoAnswer extends Error {
  readonly code = 'no_answer'
}

/** The first bytes. A short answer is read to its end, so that its connection can be used again. */
async function readStart(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response) {
    if (!Buffer.isBuffer(part)) continue
    parts.push(part)
    bytes += part.length
    // Leaving the loop destroys the response, and with it the connection.
    if (bytes >= WEBHOOK_RULES.answerBytesMax) break
  }
  const text = Buffer.concat(parts).toString('utf8').replaceAll('\u0000', '\uFFFD')
  return text.slice(0, WEBHOOK_RULES.answerCharsShown).toWellFormed()
}

function reasonOf(error: unknown): string {
  if (error instanceof BlockedAddress) return 'private_address'
  return errorCode(error) ?? (error instanceof Error ? error.name : 'unknown')
}
