import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { Connection, ConnectionEvents, Opening, Settle } from './connection.ts'
import { awaitAnswer } from './http2-exchange.ts'
import type { PoolLimits } from './pool-limits.ts'
import type { ProviderRequest } from './transport.ts'

/** One HTTP/2 session: as many streams as the peer allows, a ping when it is quiet, an end when it is unused. */
export class Http2Connection implements Connection {
  readonly isShared = true
  readonly #socket: TLSSocket
  readonly #session: ClientHttp2Session
  readonly #limits: PoolLimits
  readonly #events: ConnectionEvents
  readonly #ready = Promise.withResolvers<void>()
  /** 0 until the peer's SETTINGS have told its own limit: APNs starts at one stream. */
  #streamsMax = 0
  #streams = 0
  #isRetired = false
  #isDoubtful = false
  #goawayStreamId = Number.POSITIVE_INFINITY
  #usedAt = performance.now()

  constructor(socket: TLSSocket, { origin, limits, events }: Opening) {
    this.#socket = socket
    this.#limits = limits
    this.#events = events
    this.#session = connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false },
      maxSessionMemory: SESSION_MEGABYTES_MAX,
    })
    this.#listen()
  }

  /** Resolves when the peer has told how many streams it takes, which is the first thing it must say. */
  async ready(): Promise<void> {
    const timer = setTimeout(() => this.destroy(), this.#limits.connectMs)
    try {
      await this.#ready.promise
    } finally {
      clearTimeout(timer)
    }
  }

  isOpen(): boolean {
    return !this.#isRetired && !this.#session.closed && !this.#session.destroyed
  }

  room(): number {
    return this.isOpen() && !this.#isDoubtful ? Math.max(0, this.#streamsMax - this.#streams) : 0
  }

  send(request: ProviderRequest, settle: Settle): void {
    this.#usedAt = performance.now()
    const stream = this.#session.request({ ...request.headers, ':method': 'POST', ':path': request.path })
    this.#streams += 1
    awaitAnswer(stream, {
      limits: this.#limits,
      isUnprocessed: (closed) => this.#isUnprocessed(closed),
      onTimeout: () => this.#ping(),
      settle: (answer) => {
        this.#streams -= 1
        settle(answer)
        this.#endIfDone()
        this.#events.onRoom()
      },
    })
    stream.end(request.body)
  }

  retire(): void {
    this.#isRetired = true
    this.#endIfDone()
  }

  destroy(): void {
    this.#isRetired = true
    this.#session.destroy()
    // After a GOAWAY the session itself waits for the peer to hang up first, and some peers never do.
    this.#socket.destroy()
  }

  #listen(): void {
    const care = setInterval(() => this.#care(), this.#limits.pingEveryMs).unref()
    this.#session.on('remoteSettings', ({ maxConcurrentStreams = Number.POSITIVE_INFINITY }) => {
      this.#streamsMax = Math.min(maxConcurrentStreams, this.#limits.streamsMax)
      this.#usedAt = performance.now()
      this.#ready.resolve()
      this.#events.onRoom()
    })
    this.#session.on('goaway', (_code, lastStreamId) => {
      this.#goawayStreamId = lastStreamId
      this.retire()
    })
    // A session always closes after an error, and its streams tell what became of each request.
    this.#session.on('error', (cause) => this.#ready.reject(cause))
    this.#session.on('close', () => {
      clearInterval(care)
      this.#ready.reject(new Error('closed while connecting'))
      this.#events.onClose(this)
    })
    this.#ready.promise.catch(() => undefined)
    // A session that waits must not keep the process alive; one that owes an answer has a timer running.
    this.#session.unref()
  }

  /** RFC 9113 §8.7: refused, above GOAWAY's last stream, or never given a number at all. */
  #isUnprocessed({ id, rstCode }: ClientHttp2Stream): boolean {
    return rstCode === constants.NGHTTP2_REFUSED_STREAM || id === undefined || id > this.#goawayStreamId
  }

  #endIfDone(): void {
    if (this.#isRetired && this.#streams === 0) this.destroy()
  }

  #care(): void {
    // One that is still connecting is not idle; `ready` has a bound of its own.
    if (this.#streamsMax === 0) return
    const quietMs = performance.now() - this.#usedAt
    if (this.#streams === 0 && quietMs >= this.#limits.idleMs) return this.retire()
    if (quietMs >= this.#limits.pingEveryMs) this.#ping()
  }

  /** Until the peer answers, nothing new is entrusted to the connection. */
  #ping(): void {
    if (this.#isDoubtful || this.#session.closed || this.#session.destroyed) return
    this.#isDoubtful = true
    const timer = setTimeout(() => this.destroy(), this.#limits.pingMs).unref()
    this.#session.ping((error) => {
      clearTimeout(timer)
      this.#isDoubtful = false
      if (error === null) this.#events.onRoom()
    })
  }
}

/** Room for `streamsMax` bodies of 4 KiB in flight, several times over. */
const SESSION_MEGABYTES_MAX = 64
