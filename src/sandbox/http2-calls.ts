import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { type Call, type CallConnection, type GoawayManner, readBody } from './call.ts'

/** The SETTINGS that a provider sends to its callers. */
export type Http2Settings = { readonly streamsMax: number; readonly headerBytesMax: number }

/** The calls of one HTTP/2 connection. */
export class Http2Calls implements CallConnection {
  readonly #session: ServerHttp2Session
  readonly #onCall: (call: Call) => void
  #highestBegun = 0
  /** Streams above this were announced as unprocessed, and must stay so. */
  #lastStreamId = STREAM_ID_MAX

  constructor(socket: TLSSocket, settings: Http2Settings, onCall: (call: Call) => void) {
    this.#onCall = onCall
    this.#session = performServerHandshake(socket, {
      settings: { maxConcurrentStreams: settings.streamsMax, maxHeaderListSize: settings.headerBytesMax },
    })
    this.#session.on('stream', (stream, headers, _flags, rawHeaders) => {
      readBody(stream, (body, bytes) => this.#take(stream, { headers, rawHeaders, body, bytes }))
    })
    // A caller may hang up at any time.
    this.#session.on('error', () => undefined)
  }

  goaway(manner: GoawayManner): void {
    if (manner === 'refusing') this.#lastStreamId = this.#highestBegun
    if (this.#session.destroyed) return
    this.#session.goaway(constants.NGHTTP2_NO_ERROR, this.#lastStreamId, Buffer.from('{"reason":"Shutdown"}'))
    // Closes the connection after the last stream; otherwise nobody would read its socket, and it would stay open.
    this.#session.close()
  }

  destroy(): void {
    this.#session.destroy()
  }

  #take(stream: ServerHttp2Stream, received: Received): void {
    const { ':method': method = '', ':path': path = '' } = received.headers
    const refuse = (): void => stream.close(constants.NGHTTP2_REFUSED_STREAM)
    this.#onCall({
      ...received,
      method,
      path,
      connection: this,
      refuse,
      begin: () => {
        if (stream.destroyed) return false
        const isRefused = (stream.id ?? 0) > this.#lastStreamId
        if (isRefused) refuse()
        else this.#highestBegun = Math.max(this.#highestBegun, stream.id ?? 0)
        return !isRefused
      },
      isGone: () => stream.destroyed,
      open: (status, headers) => {
        if (!stream.destroyed) stream.respond({ ...headers, ':status': status })
        return stream
      },
      reset: () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
      drop: () => this.destroy(),
    })
  }
}

type Received = {
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly bytes: number
}

const STREAM_ID_MAX = 2 ** 31 - 1
