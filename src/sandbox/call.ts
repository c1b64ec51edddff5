import type { IncomingHttpHeaders } from 'node:http'
import type { Readable, Writable } from 'node:stream'

/** One request to a sandbox provider, over HTTP/1.1 or HTTP/2, with the methods that answer it or make it fail. */
export type Call = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came, so that a header that was sent twice is visible. */
  readonly rawHeaders: readonly string[]
  /** At most `CALL_BYTES_MAX`; `bytes` tells how many there were. */
  readonly body: Buffer
  readonly bytes: number
  /** The same object for every call of one connection. */
  readonly connection: CallConnection
  /** Takes the call up for processing. False when the connection has announced that it will not. */
  readonly begin: () => boolean
  /** Whether the caller has hung up. */
  readonly isGone: () => boolean
  /** Starts an answer, and returns the stream for its body. */
  readonly open: (status: number, headers: CallHeaders) => Writable
  /** Ends this stream with an error and no answer. */
  readonly reset: () => void
  /** Cuts the whole connection. */
  readonly drop: () => void
  /** Refuses this call unprocessed. */
  readonly refuse: () => void
}

/** One connection to a sandbox provider. */
export type CallConnection = {
  /** Announces the end (GOAWAY). `refusing` processes no call that was not begun. */
  readonly goaway: (manner: GoawayManner) => void
}

export type GoawayManner = 'refusing' | 'finishing'
type CallHeaders = Readonly<Record<string, string>>
export type CallReply = { readonly status: number; readonly headers: CallHeaders; readonly body: string }

/** Above every provider's limit, so that a body that is one byte too long is noticed. */
export const CALL_BYTES_MAX = 64 * 1024

export function reply(call: Call, { status, headers, body }: CallReply): void {
  call.open(status, headers).end(body)
}

/** Reads a body to its end; beyond the bound it only counts. */
export function readBody(source: Readable, done: (body: Buffer, bytes: number) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  source.on('data', (chunk: Buffer) => {
    if (bytes < CALL_BYTES_MAX) chunks.push(chunk.subarray(0, CALL_BYTES_MAX - bytes))
    bytes += chunk.length
  })
  source.on('end', () => done(Buffer.concat(chunks), bytes))
  // A caller that hangs up in the middle gets no answer.
  source.on('error', () => undefined)
}
