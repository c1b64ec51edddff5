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
  /** Changes nothing: its answer says nothing about whether writes succeed. */
  readonly isRead?: true
}

export type LabReply = { readonly status: number; readonly text: string }

/** How a call ended, and when. `isRefusal`: 503 with a time to come back. */
export type Answer = { readonly at: number; readonly status: number; readonly isRefusal: boolean }

/** The calls of all clients of a load: when they succeeded, and how the others ended. */
export class LabClient {
  /** The times of acknowledged writes, in milliseconds since the load began. */
  readonly acknowledgedAt: number[] = []
  readonly answers: Answer[] = []
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
  async try({ path, body, key, method, isRead }: Call): Promise<LabReply> {
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
        async (answer) => ({
          status: answer.status,
          text: await answer.text(),
          hasRetryAfter: answer.headers.has('retry-after'),
        }),
        () => NOBODY,
      )
      .catch(() => NOBODY)
    const status = typeof body === 'string' ? lastStatusIn(reply) : reply.status
    // The last line of an import comes after the headers.
    const isRefusal = status === 503 && (reply.hasRetryAfter || reply.status === 200)
    this.statuses.set(reply.status, (this.statuses.get(reply.status) ?? 0) + 1)
    if (isRead === true) return reply
    this.answers.push({ at: this.now, status, isRefusal })
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

const NOBODY = { status: 0, text: '', hasRetryAfter: false }

/** An import is answered with 200 before its rows are stored; its last line has the status of all. */
function lastStatusIn({ status, text }: LabReply): number {
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  return status === 200 ? Number(/"status_code":"(\d+)"/.exec(last)?.[1] ?? 0) : status
}
