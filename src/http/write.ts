import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { encodeJson } from '../domain/json.ts'
import { isUnread, linger } from './linger.ts'
import type { Reply } from './reply.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** One request and the reply to it, as Node has them. */
export type Exchange = {
  readonly id: string
  readonly raw: IncomingMessage
  readonly response: ServerResponse
}

export type WriteOptions = {
  /** The server is stopping: tell the caller to open a new connection, elsewhere. */
  readonly isLast: boolean
  /** How much of an unread body is swallowed to keep the connection. */
  readonly bodyBytesMax: number
}

/** Sends a reply. A stream that breaks half way breaks the connection, so that nobody takes a part for the whole. */
export async function writeReply(exchange: Exchange, reply: Reply, options: WriteOptions): Promise<void> {
  const { id, raw, response } = exchange
  const isCut = isUnread(raw, options.bodyBytesMax)
  const close = options.isLast || isCut ? { connection: 'close' } : {}
  const headers = { ...SECURITY_HEADERS, ...reply.headers, 'x-request-id': id, ...close }
  const { body } = reply
  if (isStream(body)) {
    response.writeHead(reply.status, headers)
    if (raw.method === 'HEAD') response.end()
    else await pipeline(Readable.from(body), response)
    return
  }
  const text = typeof body === 'object' && body !== null ? encodeBody(reply, body, id) : (body ?? '')
  const type = typeof body === 'object' && body !== null ? { 'content-type': JSON_TYPE } : {}
  response.writeHead(reply.status, { ...headers, ...type, 'content-length': Buffer.byteLength(text) })
  if (isCut) {
    response.write(text)
    await linger(raw)
    response.end()
  } else response.end(text)
}

const JSON_TYPE = 'application/json; charset=utf-8'

function isStream(body: Reply['body']): body is AsyncIterable<Uint8Array | string> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** `request_id` stands with the rest of the envelope, before the thing the reply carries. */
function encodeBody({ isExact, status }: Reply, body: object, id: string): string {
  if (isExact === true) return encodeJson(body)
  const { message, processed, status_code: code, ...rest } = envelopeOf(body, status)
  return encodeJson({ message, processed, status_code: code, request_id: id, ...rest })
}

type Envelope = { readonly message?: unknown; readonly processed?: unknown; readonly status_code?: unknown }

function envelopeOf(body: object, status: number): Envelope {
  return { status_code: String(status), ...body }
}
