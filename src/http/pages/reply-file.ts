import { fault } from '../../domain/fault.ts'
import { type Reply, type ReplyHeaders, refuse } from '../reply.ts'
import type { OpenRequest } from '../request.ts'
import type { Script } from './scripts.ts'

/** A file that may change: the browser asks again, and gets 304 while it is the same. */
export function replyFile(file: Script, request: OpenRequest, headers: ReplyHeaders): Reply {
  const etag = `"${file.hash}"`
  const own = { ...headers, etag, vary: 'accept-encoding' }
  if (request.headers['if-none-match'] === etag) return { status: 304, body: null, headers: own }
  return replyBytes(file, request, own)
}

/** A file with its hash in its address, which is the same for ever. */
export function replyForever(file: Script, request: OpenRequest, headers: ReplyHeaders): Reply {
  if (request.params['hash'] !== file.hash) return refuse({ faults: [fault('not_found')] })
  return replyBytes(file, request, { ...headers, 'cache-control': 'public, max-age=31536000, immutable' })
}

/** The bytes of a file, compressed if the caller can read that. */
export function replyBytes(file: Script, { headers }: OpenRequest, own: ReplyHeaders): Reply {
  const isGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
  const bytes = isGzip ? file.gzip : file.plain
  const encoding: ReplyHeaders = isGzip ? { 'content-encoding': 'gzip' } : {}
  const length = { 'content-length': String(bytes.length), vary: 'accept-encoding' }
  return { status: 200, body: once(bytes), headers: { ...own, ...encoding, ...length } }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
