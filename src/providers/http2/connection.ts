import type { TLSSocket } from 'node:tls'
import type { Connection, ConnectionEvents, ConnectionSetup } from '../connection.ts'
import type { PoolLimits } from '../pool-limits.ts'
import type { OnAnswer, ProviderAnswer, ProviderRequest } from '../transport.ts'
import { BodySender } from './body-sender.ts'
import { CODE, STREAM_ID_MAX } from './frame.ts'
import { Http2Session, type PeerSettings } from './session.ts'
import { Stream } from './stream.ts'
import { StreamTable } from './stream-table.ts'

/**
 * One HTTP/2 connection, with as many streams as the peer allows. Only an open connection takes requests.
 *
 * | state      | moves on                                                                                |
 * |------------|-----------------------------------------------------------------------------------------|
 * | connecting | the peer's first SETTINGS: open; `connectMs` passes: closed                             |
 * | open       | a body waits for a window, or the socket is congested: blocked                          |
 * |            | nothing was sent for `pingEveryMs`, or an answer is overdue: pinging                    |
 * |            | GOAWAY, `retire`, `idleMs` without a stream, or the last stream id: retired             |
 * | blocked    | the peer reads on: open                                                                 |
 * | pinging    | the PONG comes: open; `pingMs` passes: closed                                           |
 * | retired    | the last stream ends: closed; a ping of it without a PONG closes it too                 |
 * | closed     | every stream under way is answered, and the route is told once                          |
 *
 * | a stream ends with                      | its answer, if no status came before          |
 * |-----------------------------------------|-----------------------------------------------|
 * | the peer's last frame, a reset, a close | lost: the peer may have processed the request |
 * | a reset with REFUSED_STREAM             | unsent                                        |
 * | a GOAWAY that names a lower stream      | unsent                                        |
 * | `answerMs` without an answer            | lost                                          |
 * | `bodyMs` with a status and no end       | –                                             |
 *
 * `destroy`, a violation of the protocol and the peer's close lead from every state to closed.
 *
 * Once a status has come, that is the answer, whatever happens to the body. A stream is answered exactly once, and a
 * request that the peer may have processed is never answered as unsent.
 */
export class Http2Connection implements Connection {
  readonly isShared = true
  readonly #socket: TLSSocket
  readonly #limits: PoolLimits
  readonly #events: ConnectionEvents
  readonly #session: Http2Session
  readonly #bodies: BodySender
  readonly #streams = new StreamTable()
  readonly #ready = Promise.withResolvers<void>()
  readonly #care: NodeJS.Timeout
  readonly #patience: NodeJS.Timeout
  #pingTimer: NodeJS.Timeout | undefined
  /** Null until the peer's first SETTINGS, which name its limit: APNs starts at one stream. */
  #streamsMax: number | null = null
  #nextId = 1
  #isRetired = false
  #usedAt = performance.now()

  constructor(socket: TLSSocket, { origin, limits, events }: ConnectionSetup) {
    this.#socket = socket
    this.#limits = limits
    this.#events = events
    const { answerBytesMax } = limits
    this.#session = new Http2Session(socket, this.#listeners(), {
      authority: new URL(origin).host,
      answerBytesMax,
    })
    this.#bodies = new BodySender(this.#session.outgoing)
    this.#care = setInterval(() => this.#lookAfter(), limits.pingEveryMs).unref()
    this.#patience = setInterval(
      () => this.#giveUpOld(),
      Math.min(limits.answerMs, limits.bodyMs) / SWEEPS,
    ).unref()
    socket.on('error', () => undefined) // `close` follows, and reports it
    socket.on('close', () => this.#finishAll())
    socket.on('drain', () => events.onRoom(this))
    this.#ready.promise.catch(() => undefined)
    // An idle connection must not keep the process alive; while an answer is due, `#patience` does.
    socket.unref()
  }

  /** Resolves at the peer's first SETTINGS, which every peer must send first and which tell how many streams it takes. */
  async ready(): Promise<void> {
    const timer = setTimeout(() => this.destroy(), this.#limits.connectMs)
    try {
      await this.#ready.promise
    } finally {
      clearTimeout(timer)
    }
  }

  isOpen(): boolean {
    return !this.#isRetired && !this.#socket.destroyed
  }

  room(): number {
    const isBlocked =
      this.#pingTimer !== undefined || this.#bodies.isBlocked || this.#session.outgoing.isCongested
    return this.isOpen() && !isBlocked ? Math.max(0, (this.#streamsMax ?? 0) - this.#streams.size) : 0
  }

  send(request: ProviderRequest, onAnswer: OnAnswer): void {
    this.#usedAt = performance.now()
    const id = this.#nextId
    this.#session.open(id, request)
    this.#nextId += 2
    const stream = new Stream({
      id,
      window: this.#bodies.streamWindow,
      answerBytesMax: this.#limits.answerBytesMax,
      isAcceptedBodyRead: request.isAcceptedBodyRead ?? true,
      onAnswer,
    })
    if (this.#streams.size === 0) this.#patience.ref()
    this.#streams.add(stream)
    this.#bodies.send(stream, request.body)
    if (this.#nextId > STREAM_ID_MAX) this.retire()
  }

  retire(): void {
    this.#isRetired = true
    this.#endIfDone()
  }

  destroy(): void {
    this.#isRetired = true
    this.#socket.destroy()
  }

  #listeners(): ConstructorParameters<typeof Http2Session>[1] {
    return {
      onSettings: (settings) => this.#adopt(settings),
      onHead: (id, head) => this.#streams.get(id)?.takeHead(head),
      onData: (id, chunk) => {
        const stream = this.#streams.get(id)
        if (stream?.takeBody(chunk) === false) this.#abandon(stream, 'answer too large')
      },
      onEnd: (id) => this.#end(id, LOST),
      onReset: (id, code) => this.#end(id, code === CODE.refused ? REFUSED : LOST),
      onGoaway: (lastId) => this.#leave(lastId),
      onWindow: (id, bytes) => this.#widen(id, bytes),
      onPong: () => this.#trustAgain(),
    }
  }

  #adopt({ streamsMax, initialWindow }: PeerSettings): void {
    // Later SETTINGS do not count as use of the connection, or else a peer could keep it open for ever.
    if (this.#streamsMax === null) this.#usedAt = performance.now()
    if (streamsMax !== undefined || this.#streamsMax === null) {
      this.#streamsMax = Math.min(streamsMax ?? Number.POSITIVE_INFINITY, this.#limits.streamsMax)
    }
    if (initialWindow !== undefined) this.#bodies.setStreamWindow(initialWindow, this.#streams.all())
    this.#ready.resolve()
    this.#events.onRoom(this)
  }

  #widen(id: number, bytes: number): void {
    const stream = this.#streams.get(id)
    if (id === 0) this.#bodies.widen(bytes)
    else if (stream !== undefined) this.#bodies.widenStream(stream, bytes)
    this.#events.onRoom(this)
  }

  /** RFC 9113 §6.8: a stream above the peer's last one was not processed, and its request goes out again elsewhere. */
  #leave(lastId: number): void {
    this.#isRetired = true
    for (const { id } of this.#streams.all()) if (id > lastId) this.#finish(id, REFUSED)
    this.#endIfDone()
  }

  /** The peer has ended the stream. If our body has not left completely, its rest is not sent. */
  #end(id: number, otherwise: ProviderAnswer): void {
    const isCut = (this.#streams.get(id)?.unsent.length ?? 0) > 0
    if (isCut) this.#session.reset(id)
    this.#finish(id, otherwise)
  }

  #abandon(stream: Stream, reason: string): void {
    this.#session.reset(stream.id)
    this.#finish(stream.id, { kind: 'lost', reason })
  }

  #finish(id: number, otherwise: ProviderAnswer): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    this.#streams.delete(stream)
    this.#bodies.forget(stream)
    if (this.#streams.size === 0) this.#patience.unref()
    stream.finish(otherwise)
    this.#endIfDone()
    this.#events.onRoom(this)
  }

  #finishAll(): void {
    this.#isRetired = true
    clearInterval(this.#care)
    clearInterval(this.#patience)
    clearTimeout(this.#pingTimer)
    this.#ready.reject(new Error('closed while connecting'))
    for (const { id } of this.#streams.all()) this.#finish(id, LOST)
    this.#events.onClose(this)
  }

  #endIfDone(): void {
    if (this.#isRetired && this.#streams.size === 0) this.destroy()
  }

  #giveUpOld(): void {
    const now = performance.now()
    for (const stream of this.#streams.all()) {
      if (!stream.isOverdue(now, this.#limits)) continue
      this.#ping()
      this.#abandon(stream, 'timeout')
    }
  }

  #lookAfter(): void {
    // A connection that still connects is not idle; `ready` has a bound of its own.
    if (this.#streamsMax === null) return
    const quietMs = performance.now() - this.#usedAt
    if (this.#streams.size === 0 && quietMs >= this.#limits.idleMs) return this.retire()
    if (quietMs >= this.#limits.pingEveryMs) this.#ping()
  }

  /** Until the PONG comes, the connection takes no request. */
  #ping(): void {
    if (this.#pingTimer !== undefined || this.#socket.destroyed) return
    this.#pingTimer = setTimeout(() => this.destroy(), this.#limits.pingMs).unref()
    this.#session.ping()
  }

  #trustAgain(): void {
    clearTimeout(this.#pingTimer)
    this.#pingTimer = undefined
    this.#events.onRoom(this)
  }
}

/** Sweeps within the shorter timeout: an answer or its body is waited for a tenth longer at most. */
const SWEEPS = 10
const LOST: ProviderAnswer = { kind: 'lost', reason: 'connection lost' }
const REFUSED: ProviderAnswer = { kind: 'unsent', reason: 'stream refused' }
