import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { AnswerBody } from './answer-body.ts'
import type { Connection, ConnectionEvents, ConnectionSetup } from './connection.ts'
import type { PoolLimits } from './pool-limits.ts'
import type { OnAnswer, ProviderAnswer, ProviderRequest } from './transport.ts'

/**
 * A connection to a peer that speaks no HTTP/2: one request at a time.
 *
 * | state   | moves on                                                                       |
 * |---------|--------------------------------------------------------------------------------|
 * | idle    | `send`: busy; four quiet seconds, or less if the peer asks, or `retire`: closed |
 * | busy    | the whole answer came: idle, or closed if the answer announces the end         |
 * |         | `retire`: leaving                                                              |
 * |         | a timeout, an error, or an answer that is too large or too early: closed       |
 * | leaving | the answer came, or a timeout or an error in its stead: closed                 |
 * | closed  | the socket is destroyed, and the route is told once                            |
 *
 * `destroy` closes in every state, and so does the peer; a request under way is then answered as lost, or with its
 * status if that had come. A request is answered exactly once, and never shares the connection with another.
 */
export class Http1Connection implements Connection {
  readonly isShared = false
  readonly #socket: TLSSocket
  readonly #agent: Agent
  readonly #host: string
  readonly #limits: PoolLimits
  readonly #events: ConnectionEvents
  #isBusy = false
  #isRetired = false
  #idleMs = IDLE_MS
  #idle: NodeJS.Timeout | undefined

  constructor(socket: TLSSocket, { origin, limits, events }: ConnectionSetup) {
    this.#socket = socket
    this.#agent = new OneSocketAgent(socket)
    this.#host = new URL(origin).host
    this.#limits = limits
    this.#events = events
    socket.on('error', () => undefined) // `close` follows, and reports it
    socket.on('close', () => events.onClose(this))
    this.#rest()
  }

  isOpen(): boolean {
    return !this.#isRetired && !this.#socket.destroyed
  }

  room(): number {
    return this.isOpen() && !this.#isBusy ? 1 : 0
  }

  send({ path, headers, ownHeaders = [], body }: ProviderRequest, onAnswer: OnAnswer): void {
    this.#isBusy = true
    clearTimeout(this.#idle)
    const answerBody = new AnswerBody(this.#limits.answerBytesMax)
    let response: IncomingMessage | undefined
    let isAnswered = false
    const finish = (reason: string): void => {
      // An error may follow the end of an answer, when the next request is under way already.
      if (isAnswered) return
      isAnswered = true
      this.#isBusy = false
      clearTimeout(timer)
      onAnswer(answerOf(response, answerBody, reason))
      this.#rest()
    }
    /** The rest of this request or of its answer would stand before the next, so that the connection ends here. */
    const abandon = (reason: string): void => {
      this.#isRetired = true
      finish(reason)
    }
    let timer = setTimeout(() => abandon('timeout'), this.#limits.answerMs)
    const sent = { ...headers, ...Object.fromEntries(ownHeaders), host: this.#host }
    const options = { agent: this.#agent, method: 'POST', path, headers: sent }
    const request = httpRequest(options, (incoming) => {
      response = incoming
      this.#idleMs = Math.min(IDLE_MS, keptMs(request, incoming))
      // The peer takes no other request here, though it may take a while until it closes.
      if (this.#idleMs <= 0) this.#isRetired = true
      clearTimeout(timer)
      timer = setTimeout(() => abandon('timeout'), this.#limits.bodyMs)
      incoming.on('data', (chunk: Buffer) => answerBody.take(chunk) || abandon('answer too large'))
      incoming.on('end', () => (request.writableFinished ? finish('done') : abandon('answered early')))
      incoming.on('error', () => abandon('connection lost'))
    })
    request.on('error', () => abandon('connection lost'))
    request.end(body)
  }

  retire(): void {
    this.#isRetired = true
    if (!this.#isBusy) this.#socket.destroy()
  }

  destroy(): void {
    this.#isRetired = true
    this.#socket.destroy()
  }

  /** An idle connection is closed before the peer closes it: a request that crosses the peer's close would be lost. */
  #rest(): void {
    if (this.#isRetired) return void this.#socket.destroy()
    this.#idle = setTimeout(() => this.retire(), this.#idleMs).unref()
    return this.#events.onRoom(this)
  }
}

/** Less than the five seconds that are the default of many servers. */
const IDLE_MS = 4_000

/** A request that leaves this long before the peer closes still arrives in time. */
const AHEAD_MS = 1_000

/** How long the peer keeps the connection for another request: 0 or less after `Connection: close`, or by HTTP/1.0. */
function keptMs(request: ClientRequest, { headers }: IncomingMessage): number {
  const hint = String(headers['keep-alive'] ?? '')
  if (!request.shouldKeepAlive || /\bmax\s*=\s*0+(?!\d)/i.test(hint)) return 0
  const seconds = /\btimeout\s*=\s*(\d{1,9})/i.exec(hint)?.[1]
  return seconds === undefined ? IDLE_MS : Number(seconds) * 1000 - AHEAD_MS
}

/** Uses the one socket that has passed the address guard. */
class OneSocketAgent extends Agent {
  readonly #socket: TLSSocket

  constructor(socket: TLSSocket) {
    super({ keepAlive: true, maxSockets: 1 })
    this.#socket = socket
  }

  override createConnection(): Duplex {
    return this.#socket
  }
}

function answerOf(response: IncomingMessage | undefined, body: AnswerBody, reason: string): ProviderAnswer {
  if (response?.statusCode === undefined) return { kind: 'lost', reason }
  const retryAfter = response.headers['retry-after'] ?? null
  return { kind: 'answered', status: response.statusCode, retryAfter, body: body.text() }
}
