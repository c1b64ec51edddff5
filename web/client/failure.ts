import type { Failure } from './api/envelope.ts'

/** A refusal of Beckon. `code` is stable; write programs against it. */
export class BeckonError extends Error {
  override readonly name = 'BeckonError'
  readonly status: number
  readonly code: string
  readonly errors: Failure['errors']
  /** Quote it to whoever runs Beckon. */
  readonly requestId: string
  /** How long Beckon asked to wait; null when it did not. */
  readonly retryAfterMs: number | null
  /** The whole reply: some refusals carry more. */
  readonly reply: Readonly<Record<string, unknown>>

  constructor({ status, retryAfterMs, reply }: Refusal) {
    super(reply.message ?? `Beckon answered ${status}`)
    this.status = status
    this.code = reply.code ?? 'unknown'
    this.errors = reply.errors ?? []
    this.requestId = reply.request_id ?? ''
    this.retryAfterMs = retryAfterMs
    this.reply = reply
  }
}

/** Something between here and there failed, and trying again did not help or was not safe. */
export class BeckonUnreachable extends Error {
  override readonly name = 'BeckonUnreachable'
}

/** A proxy on the way may answer in Beckon's place, and has none of the fields. */
export type Refusal = {
  readonly status: number
  readonly retryAfterMs: number | null
  readonly reply: Partial<Failure> & Readonly<Record<string, unknown>>
}
