import type { Rejection } from '../domain/result.ts'
import type { Warning } from '../domain/warning.ts'
import { ERRORS, type ErrorCode } from '../rules/errors.ts'

export type ReplyHeaders = Readonly<Record<string, string>>

/** An object is sent as JSON, a string as the text its headers say, an iterable as a stream, null as nothing. */
export type ReplyBody = object | string | AsyncIterable<Uint8Array | string> | null

export type Reply = {
  readonly status: number
  readonly body: ReplyBody
  readonly headers?: ReplyHeaders
  /** Values of Set-Cookie. */
  readonly cookies?: readonly string[]
  /** Breaks off a stream whose reader does not take what is written. */
  readonly cut?: AbortSignal
  /** The work that a stream tells about, which goes on after the reply has begun; its lane is kept until then. It never fails. */
  readonly workDone?: Promise<unknown>
  /** The contract prints this body whole, so the server adds no `request_id` to it. */
  readonly isExact?: true
}

export type Success = {
  readonly processed?: number
  readonly warnings?: readonly Warning[]
  readonly headers?: ReplyHeaders
}

/** The envelope of every success (decisions §2). `fields` are the thing itself, under its noun. */
export function replySuccess(fields: object, success: Success = {}): Reply {
  const { processed = 1, warnings = [], headers = {} } = success
  const envelope = { message: 'success', processed, status_code: '200', ...fields }
  return { status: 200, body: warnings.length > 0 ? { ...envelope, warnings } : envelope, headers }
}

export type Refusal = {
  readonly headers?: ReplyHeaders
  /** The fields of a failure beside the envelope, such as `unprocessed`. */
  readonly fields?: object
}

/** The envelope of every failure. The first fault gives status, code and message; all of them are listed. */
export function refuse(rejection: Rejection, { headers = {}, fields = {} }: Refusal = {}): Reply {
  const [first] = rejection.faults
  const { status } = ERRORS[first.code]
  const body = {
    message: first.message,
    processed: 0,
    status_code: String(status),
    code: first.code,
    errors: rejection.faults,
    ...(rejection.warnings === undefined || rejection.warnings.length === 0
      ? {}
      : { warnings: rejection.warnings }),
    ...fields,
  }
  return { status, body, headers: { ...HEADERS_OF[first.code], ...headers } }
}

/** Headers that RFC 9110 asks for with some refusals: how to do better, or when to try again. Those of an outage are in `failure.ts`. */
const HEADERS_OF: Readonly<Partial<Record<ErrorCode, ReplyHeaders>>> = {
  unauthenticated: { 'www-authenticate': 'Bearer realm="beckon"' },
  unsupported_encoding: { 'accept-encoding': 'gzip' },
  idempotency_running: { 'retry-after': '1' },
  overloaded: { 'retry-after': '1' },
  too_many_streams: { 'retry-after': '5' },
  not_ready: { 'retry-after': '1' },
}

/** A page or a file that is not JSON. */
export function replyText(text: string, contentType: string, headers: ReplyHeaders = {}): Reply {
  return { status: 200, body: text, headers: { 'content-type': contentType, ...headers } }
}

/** The same reply with more headers. Its own win. */
export function withHeaders(reply: Reply, headers: ReplyHeaders): Reply {
  return { ...reply, headers: { ...headers, ...reply.headers } }
}
