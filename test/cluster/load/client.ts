import { setTimeout as wait } from 'node:timers/promises'
import type { LabBrand } from '../lab/apps.ts'

/** A caller that is cut off does not wait for ever. */
const ANSWER_MAX_MS = 20_000
const AGAIN_MS = 200

export type Call = {
  readonly path: string
  /** A text goes as NDJSON, anything else as JSON. */
  readonly body?: object | string
  readonly key?: string
  readonly method?: string
}

export type LabReply = { readonly status: number; readonly text: string }

/** The calls of all clients of a load: when they succeeded, and how the others ended. */
export class LabClient {
  /** The times of acknowledged writes, in milliseconds since the load began. */
  readonly acknowledgedAt: number[] = []
  /** The times of calls that were refused with 503 and a time to come back. */
  readonly refusedAt: number[] = []
  readonly statuses = new Map<number, number>()
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #startedAt = performance.now()

  constructor(url: string, { id, key }: LabBrand) {
    this.#url = url
    this.#headers = { 'x-brand-id': id, 'x-api-key': key }
  }

  get now(): number {
    return performance.now() - this.#startedAt
  }

  /** One try. Status 0: nobody answered, or not to the end. */
  async try({ path, body, key, method }: Call): Promise<LabReply> {
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json'
    const request = {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...this.#headers,
        ...(body === undefined ? {} : { 'content-type': type }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    }
    const reply = await fetch(this.#url + path, request)
      .then(
        async (answer) => {
          if (answer.status === 503 && answer.headers.has('retry-after')) this.refusedAt.push(this.now)
          return { status: answer.status, text: await answer.text() }
        },
        () => NOBODY,
      )
      .catch(() => NOBODY)
    this.statuses.set(reply.status, (this.statuses.get(reply.status) ?? 0) + 1)
    // An import is answered with 200 before its rows are stored.
    if (reply.status === 200 && typeof body === 'object') this.acknowledgedAt.push(this.now)
    return reply
  }

  /** Says the same until it is answered with other than a 503, a 429, a 409 (the first try is still at work) or nothing. Null when the load ended before. */
  async insist(call: Call, signal: AbortSignal): Promise<LabReply | null> {
    while (!signal.aborted) {
      const reply = await this.try(call)
      if (![0, 409, 429, 502, 503, 504].includes(reply.status)) return reply
      await wait(AGAIN_MS)
    }
    return null
  }
}

const NOBODY: LabReply = { status: 0, text: '' }
