import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { encodeJson } from '../../domain/values/json.ts'
import type { Reply, ReplyHeaders } from '../reply.ts'
import type { RequestRecord } from './request-log.ts'

/** One request and the reply to it, as Node has them. */
export type Exchange = {
  readonly id: string
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly record: RequestRecord
}

type WriteOptions = {
  /** The server is stopping: the reply tells the caller to open a new connection. */
  readonly isLast: boolean
  /** How much of an unread body is discarded to keep the connection open. */
  readonly bodyBytesMax: number
}

/** Sends a reply. A stream that fails half way breaks the connection, so that the caller sees that the reply is cut. */
export async function writeReply(exchange: Exchange, reply: Reply, options: WriteOptions): Promise<void> {
  const { id, raw, response } = exchange
  const isCut = isUnread(raw, options.bodyBytesMax)
  const close = options.isLast || isCut ? { connection: 'close' } : {}
  const { cookies = [] } = reply
  const set = cookies.length === 0 ? {} : { 'set-cookie': [...cookies] }
  const headers = { ...SECURITY_HEADERS, ...reply.headers, ...set, 'x-request-id': id, ...close }
  const { body } = reply
  if (isStream(body)) {
    response.writeHead(reply.status, headers)
    if (raw.method === 'HEAD') response.end()
    else await pipeline(Readable.from(body), response, reply.cut === undefined ? {} : { signal: reply.cut })
    return
  }
  const { text, describe } = renderBody(reply, body, id)
  response.writeHead(reply.status, { ...headers, ...describe })
  if (!isCut) {
    response.end(text)
    return
  }
  response.write(text)
  await drainRequest(raw)
  response.end()
}

/** The headers of every reply. A page that needs more sets its own headers, which win over these. */
export const SECURITY_HEADERS: ReplyHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** True for a body that Node would not discard: one of unknown or large size, or one that was half read. */
function isUnread(raw: IncomingMessage, bytesMax: number): boolean {
  if (raw.complete) return false
  if (raw.readableDidRead || raw.headers['transfer-encoding'] !== undefined) return true
  return Number(raw.headers['content-length'] ?? 0) > bytesMax
}

/**
 * Reads the rest of a request for a moment and discards it. Closing while the caller is still writing would reset the
 * connection, and the caller might lose the reply.
 */
async function drainRequest(raw: IncomingMessage): Promise<void> {
  raw.resume()
  // However the request ends, the reply has been sent.
  await finished(raw, { signal: AbortSignal.timeout(DRAIN_MS) }).catch(() => undefined)
}

const DRAIN_MS = 2_000

const JSON_TYPE = 'application/json; charset=utf-8'

function isStream(body: Reply['body']): body is AsyncIterable<Uint8Array | string> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

type Rendered = { readonly text: string; readonly describe: Readonly<Record<string, string | number>> }

function renderBody(reply: Reply, body: object | string | null, id: string): Rendered {
  if (body === null) return { text: '', describe: {} }
  const text = typeof body === 'string' ? body : encodeJson(reply.isExact === true ? body : stamp(body, id))
  const type = typeof body === 'string' ? {} : { 'content-type': JSON_TYPE }
  return { text, describe: { ...type, 'content-length': Buffer.byteLength(text) } }
}

type Envelope = { readonly message?: unknown; readonly processed?: unknown; readonly status_code?: unknown }

/** `request_id` stands with the other fields of the envelope, before the fields of the endpoint. */
function stamp(body: Envelope, id: string): object {
  const { message, processed, status_code: status, ...rest } = body
  return { message, processed, status_code: status, request_id: id, ...rest }
}
