import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Certificate } from '../../../src/sandbox/certificate.ts'

/** What a far end does with a message. Only `taken` messages count as arrived. */
export type SecondFault =
  | { readonly kind: 'hang' | 'reset' }
  /** The message is taken, and its answer never comes whole. */
  | { readonly kind: 'drip' | 'close' }
  | { readonly kind: 'late'; readonly delayMs: number }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly retryAfter: number | null
      readonly body?: string
    }

/** One request, over HTTP/2 or HTTP/1.1, as far as this provider looks at it. */
type Exchange = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly respond: (status: number, headers: Readonly<Record<string, string>>) => void
  readonly write: (text: string) => void
  readonly end: (text: string) => void
  /** Ends this request alone, if the protocol can. */
  readonly reset: () => void
  /** Ends this request, and the connection as soon as its other requests are answered. */
  readonly hangUp: () => void
}

/**
 * FCM, APNs and a push service for browsers, a second time: on Node's own HTTP servers, without a line of the sandbox's.
 * The push service for browsers speaks HTTP/1.1 only. It checks nothing, and counts what it took by address.
 */
export class SecondProvider {
  readonly taken = new Map<string, number>()
  /** When the last message of an address came, and the end of its life as it was told. */
  readonly last = new Map<string, { readonly arrivedAt: number; readonly endsAt: number }>()
  readonly #faults = new Map<string, PlannedFault>()
  readonly #sessions = new Set<Http2Session>()
  readonly #sockets = new Set<Socket>()
  readonly #servers: Readonly<Record<'fcm' | 'apns' | 'webpush', Http2SecureServer | Server>>

  constructor(certificate: Certificate) {
    this.#servers = {
      fcm: this.#http2Server(certificate, (exchange) => this.#takeFcm(exchange)),
      apns: this.#http2Server(certificate, (exchange) => this.#takeApns(exchange)),
      webpush: this.#http1Server(certificate, (exchange) => this.#takeWeb(exchange)),
    }
  }

  async listen(): Promise<void> {
    for (const server of Object.values(this.#servers)) {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    }
  }

  originOf(host: 'fcm' | 'apns' | 'webpush'): string {
    const address = this.#servers[host].address()
    if (address === null || typeof address === 'string') throw new Error('not listening')
    return `https://localhost:${address.port}`
  }

  /** The next message to this address fails so, or every one. */
  addFault(address: string, fault: SecondFault, { isLasting }: { readonly isLasting: boolean }): void {
    this.#faults.set(address, { fault, isLasting })
  }

  /** Whether the fault of this address is still to come. */
  hasFault(address: string): boolean {
    return this.#faults.has(address)
  }

  /** Ends every connection, and what hangs on it. */
  #cut(): void {
    for (const session of this.#sessions) session.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    const closed = Object.values(this.#servers).map(async (server) => once(server, 'close'))
    for (const server of Object.values(this.#servers)) server.close()
    this.#cut()
    await Promise.all(closed)
  }

  #takeFcm(exchange: Exchange): void {
    if (exchange.path === '/token') {
      exchange.respond(200, { 'content-type': 'application/json' })
      const token = randomBytes(20).toString('hex')
      return exchange.end(JSON.stringify({ access_token: token, expires_in: 3600 }))
    }
    const { token, android } = JSON.parse(exchange.body).message
    const endsAt = Date.now() + Number.parseInt(android.ttl, 10) * 1000
    return this.#take(exchange, String(token), { success: 200, endsAt })
  }

  #takeApns(exchange: Exchange): void {
    const endsAt = Number(exchange.headers['apns-expiration']) * 1000
    this.#take(exchange, exchange.path.slice('/3/device/'.length), { success: 200, endsAt })
  }

  #takeWeb(exchange: Exchange): void {
    const endsAt = Date.now() + Number(exchange.headers['ttl']) * 1000
    this.#take(exchange, `${this.originOf('webpush')}${exchange.path}`, { success: 201, endsAt })
  }

  #take(exchange: Exchange, address: string, { success, endsAt }: Message): void {
    const { fault, isLasting = false } = this.#faults.get(address) ?? {}
    if (!isLasting) this.#faults.delete(address)
    const answer = (): void => {
      exchange.respond(success, {})
      exchange.end('')
    }
    const isTaken = fault === undefined || !['hang', 'reset', 'answer'].includes(fault.kind)
    if (isTaken) {
      this.taken.set(address, (this.taken.get(address) ?? 0) + 1)
      this.last.set(address, { arrivedAt: Date.now(), endsAt })
    }
    if (fault === undefined) return answer()
    return play(exchange, fault, { answer, success })
  }

  #http2Server(certificate: Certificate, take: (exchange: Exchange) => void): Http2SecureServer {
    const server = createSecureServer(certificate)
    server.on('session', (session) => {
      this.#sessions.add(session)
      session.on('close', () => this.#sessions.delete(session))
      session.on('error', () => undefined)
    })
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      stream.on('error', () => undefined)
      readAll(stream, (body) => take(http2Exchange(stream, headers, body)))
    })
    return server
  }

  #http1Server(certificate: Certificate, take: (exchange: Exchange) => void): Server {
    const server = createServer(certificate, (request, response) => {
      readAll(request, (body) =>
        take({
          path: request.url ?? '',
          headers: request.headers,
          body,
          respond: (status, headers) => response.writeHead(status, headers),
          write: (text) => void response.write(text),
          end: (text) => void response.end(text),
          reset: () => request.socket.destroy(),
          hangUp: () => request.socket.destroy(),
        }),
      )
    })
    server.on('secureConnection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    return server
  }
}

/** The status of a message that is taken, and the end of its life as it was told. */
type Message = { readonly success: number; readonly endsAt: number }

type PlannedFault = { readonly fault: SecondFault; readonly isLasting: boolean }

type Healthy = { readonly answer: () => void; readonly success: number }

function play(exchange: Exchange, fault: SecondFault, { answer, success }: Healthy): void {
  switch (fault.kind) {
    case 'hang':
      return undefined
    case 'reset':
      return exchange.reset()
    case 'close':
      return exchange.hangUp()
    case 'late':
      return void setTimeout(answer, fault.delayMs)
    case 'drip':
      exchange.respond(success, {})
      return exchange.write('.')
    case 'answer': {
      const { status, retryAfter, body = '' } = fault
      exchange.respond(status, retryAfter === null ? {} : { 'retry-after': String(retryAfter) })
      return exchange.end(body)
    }
    default:
      return fault satisfies never
  }
}

function http2Exchange(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: string): Exchange {
  return {
    path: String(headers[':path']),
    headers,
    body,
    respond: (status, more) => {
      if (!stream.destroyed) stream.respond({ ...more, ':status': status })
    },
    write: (text) => void stream.write(text),
    end: (text) => void stream.end(text),
    reset: () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    hangUp: () => {
      stream.session?.close()
      stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    },
  }
}

type Source = {
  readonly on: (event: 'data' | 'end' | 'error', listener: (chunk: Buffer) => void) => unknown
}

function readAll(source: Source, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  source.on('data', (chunk) => void chunks.push(chunk))
  source.on('end', () => done(Buffer.concat(chunks).toString('latin1')))
  source.on('error', () => undefined)
}
