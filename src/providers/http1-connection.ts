import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { AnswerBody } from './answer-body.ts'
import type { Connection, ConnectionEvents, ConnectionSetup, OnAnswer } from './connection.ts'
import type { PoolLimits } from './pool-limits.ts'
import type { ProviderAnswer, ProviderRequest } from './transport.ts'

/**
 * A connection to a peer that speaks no HTTP/2: one request at a time.
 *
 * | state   | moves on                                                                       |
 * |---------|--------------------------------------------------------------------------------|
 * | idle    | `send`: busy; four quiet seconds, or `retire`: closed                          |
 * | busy    | the whole answer came: idle; `retire`: leaving                                 |
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

  send({ path, headers, body }: ProviderRequest, onAnswer: OnAnswer): void {
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
    const timer = setTimeout(() => abandon('timeout'), this.#limits.answerMs)
    const options = { agent: this.#agent, method: 'POST', path, headers: { ...headers, host: this.#host } }
    const request = httpRequest(options, (incoming) => {
      response = incoming
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
    this.#idle = setTimeout(() => this.retire(), IDLE_MS).unref()
    return this.#events.onRoom()
  }
}

/** Less than the five seconds that are the default of many servers. */
const IDLE_MS = 4_000

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
