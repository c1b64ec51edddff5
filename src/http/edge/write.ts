import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { encodeJson } from '../../domain/values/json.ts'
import type { Reply } from '../reply.ts'
import { isUnread, linger } from './linger.ts'
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
  const { text, describe } = renderBody(reply, body, id)
  response.writeHead(reply.status, { ...headers, ...describe })
  if (!isCut) {
    response.end(text)
    return
  }
  response.write(text)
  await linger(raw)
  response.end()
}

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

/** `request_id` stands with the rest of the envelope, before the thing the reply carries. */
function stamp(body: Envelope, id: string): object {
  const { message, processed, status_code: status, ...rest } = body
  return { message, processed, status_code: status, request_id: id, ...rest }
}
