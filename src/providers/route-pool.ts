import { BlockedAddress } from '../runtime/address-guard.ts'
import type { Connection, ConnectionEvents } from './connection.ts'
import { Fifo } from './fifo.ts'
import type { PoolLimits } from './pool-limits.ts'
import type { OnAnswer, ProviderAnswer, ProviderRequest } from './transport.ts'

/** Opens a connection that is ready for requests, or rejects. */
type OpenConnection = (events: ConnectionEvents) => Promise<Connection>

/**
 * The connections of one route, and the requests that wait for room on them.
 *
 * | request   | moves on                                                                                 |
 * |-----------|------------------------------------------------------------------------------------------|
 * | new       | a connection has room: under way; the queue is full, or the pool closed: answered        |
 * |           | otherwise: waiting, and the pool opens a connection if it may                            |
 * | waiting   | a connection has room: under way; `waitMs` passes, or `close`: answered                  |
 * |           | none is open, and a new one cannot be opened: answered                                   |
 * | under way | an answer `unsent` or 421, with tries left: new; every other answer: answered            |
 *
 * | pool      | moves on                                                                                 |
 * |-----------|------------------------------------------------------------------------------------------|
 * | open      | `close`: closing, which retires the connections and answers the waiting requests         |
 * | closing   | the last connection is gone: closed; after `closeMs` the pool destroys its connections   |
 *
 * A request is answered exactly once, and goes out again only after an answer `unsent` or 421: certainly, the provider did
 * not process it. A connection that answered 421 leads to the wrong server (RFC 9110 §15.5.20) and is retired, so that
 * the next try goes over another. Over HTTP/2 a request has more tries than a route has open connections, so that one of
 * them goes over a new connection. Two connections are never being opened at once. A connection that opens for a closing pool is retired.
 */
export class RoutePool {
  readonly #openConnection: OpenConnection
  readonly #limits: PoolLimits
  readonly #connections = new Set<Connection>()
  readonly #waiting = new Fifo<Waiting>()
  readonly #emptied = Promise.withResolvers<void>()
  #patience: NodeJS.Timeout | undefined
  /** The requests that are not answered yet. */
  #requests = 0
  #isConnecting = false
  #isShared = true
  #isClosed = false

  constructor(openConnection: OpenConnection, limits: PoolLimits) {
    this.#openConnection = openConnection
    this.#limits = limits
  }

  /** Whether no request waits or is under way. */
  get isQuiet(): boolean {
    return this.#requests === 0 && !this.#isConnecting
  }

  send(request: ProviderRequest, onAnswer: OnAnswer): void {
    this.#requests += 1
    this.#dispatch({ request, onAnswer, tries: 1, since: performance.now() })
  }

  retire(): void {
    for (const connection of this.#connections) connection.retire()
  }

  /** Resolves when the last connection has closed, at the latest after `closeMs`. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#giveBack({ kind: 'unsent', reason: 'closed' })
    this.retire()
    const timer = setTimeout(() => this.#connections.forEach((one) => one.destroy()), this.#limits.closeMs)
    if (!this.#isEmpty) await this.#emptied.promise
    clearTimeout(timer)
  }

  #dispatch(waiting: Waiting): void {
    if (this.#isClosed) return this.#answer(waiting, { kind: 'unsent', reason: 'closed' })
    // While requests wait, no connection has room, and the request that has waited longest goes first.
    const connection = this.#waiting.size === 0 ? this.#withRoom() : undefined
    if (connection !== undefined) return this.#hand(waiting, connection)
    if (this.#waiting.size >= this.#limits.waitingMax) {
      return this.#answer(waiting, { kind: 'unsent', reason: 'pool full' })
    }
    this.#waiting.push(waiting)
    this.#patience ??= setInterval(() => this.#expire(), this.#limits.waitMs / 10)
    this.#growIfFew()
  }

  /** The first with room, so that a quiet hour needs one connection. */
  #withRoom(): Connection | undefined {
    for (const connection of this.#connections) if (connection.room() > 0) return connection
    return undefined
  }

  #hand(waiting: Waiting, connection: Connection): void {
    try {
      connection.send(waiting.request, (answer) => {
        if (isMisdirected(answer)) connection.retire()
        this.#receive(waiting, answer)
      })
    } catch (cause) {
      // Nothing left: the session broke this instant, or a header cannot be written.
      this.#receive(waiting, { kind: 'unsent', reason: reasonOf(cause) })
    }
  }

  #receive(waiting: Waiting, answer: ProviderAnswer): void {
    const isUnprocessed = answer.kind === 'unsent' || isMisdirected(answer)
    if (!isUnprocessed || waiting.tries >= this.#limits.triesMax) return this.#answer(waiting, answer)
    this.#dispatch({ ...waiting, tries: waiting.tries + 1, since: performance.now() })
  }

  #answer({ onAnswer }: Waiting, answer: ProviderAnswer): void {
    this.#requests -= 1
    onAnswer(answer)
  }

  /**
   * Opens a connection, if there are few, one at a time. Connections that finish their last requests have a bound of their own. Each waiting
   * request calls this, so it makes no promise.
   */
  #growIfFew(): void {
    const openMax = this.#limits.connectionsMax * (this.#isShared ? 1 : UNSHARED_FACTOR)
    if (this.#isConnecting || this.#openCount() >= openMax) return
    if (this.#connections.size >= openMax * LEAVING_FACTOR) return
    void this.#grow()
  }

  async #grow(): Promise<void> {
    this.#isConnecting = true
    try {
      const connection = await this.#openConnection({
        onRoom: (widened) => this.#fill(widened),
        onClose: (gone) => this.#remove(gone),
      })
      this.#connections.add(connection)
      this.#isShared = connection.isShared
      this.#isConnecting = false
      if (this.#isClosed) this.retire()
      this.#drain()
    } catch (cause) {
      this.#isConnecting = false
      if (this.#openCount() === 0) this.#giveBack(failedToConnect(cause))
      this.#noticeEmpty()
    }
  }

  #openCount(): number {
    let count = 0
    for (const connection of this.#connections) if (connection.isOpen()) count += 1
    return count
  }

  #drain(): void {
    for (const connection of this.#connections) this.#handWaiting(connection)
    if (this.#waiting.size > 0) this.#growIfFew()
  }

  /**
   * Hands waiting requests to this connection alone: while requests wait, no other connection has room. `#grow` does the same for a new one.
   */
  #fill(connection: Connection): void {
    if (this.#connections.has(connection)) this.#handWaiting(connection)
    if (this.#waiting.size > 0) this.#growIfFew()
  }

  #handWaiting(connection: Connection): void {
    while (this.#waiting.size > 0 && connection.room() > 0) {
      const next = this.#takeWaiting()
      if (next !== undefined) this.#hand(next, connection)
    }
  }

  #remove(gone: Connection): void {
    this.#connections.delete(gone)
    this.#noticeEmpty()
    this.#drain()
  }

  /** The oldest stands first, so the sweep ends at the first that may still wait. */
  #expire(): void {
    const oldest = performance.now() - this.#limits.waitMs
    for (let next = this.#waiting.peek(); next !== undefined && next.since <= oldest; ) {
      this.#takeWaiting()
      this.#answer(next, { kind: 'unsent', reason: 'pool busy' })
      next = this.#waiting.peek()
    }
  }

  #giveBack(answer: ProviderAnswer): void {
    for (let next = this.#takeWaiting(); next !== undefined; next = this.#takeWaiting()) {
      this.#answer(next, answer)
    }
  }

  #takeWaiting(): Waiting | undefined {
    const next = this.#waiting.shift()
    if (this.#waiting.size > 0) return next
    clearInterval(this.#patience)
    this.#patience = undefined
    return next
  }

  get #isEmpty(): boolean {
    return this.#connections.size === 0 && this.#waiting.size === 0 && !this.#isConnecting
  }

  #noticeEmpty(): void {
    if (this.#isClosed && this.#isEmpty) this.#emptied.resolve()
  }
}

type Waiting = {
  readonly request: ProviderRequest
  readonly onAnswer: OnAnswer
  readonly tries: number
  /** When the request came, or was dispatched again after a try that the provider did not process. */
  readonly since: number
}

/** HTTP/1.1 needs a connection for each request that is under way. */
const UNSHARED_FACTOR = 8
/** A peer that says GOAWAY again and again may leave this many times more connections to finish. */
const LEAVING_FACTOR = 4

function isMisdirected(answer: ProviderAnswer): boolean {
  return answer.kind === 'answered' && answer.status === 421
}

function failedToConnect(cause: unknown): ProviderAnswer {
  const reason = reasonOf(cause)
  return cause instanceof BlockedAddress ? { kind: 'blocked', reason } : { kind: 'unsent', reason }
}

/** A system error's code where there is one: its message may carry an address. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'failed'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
