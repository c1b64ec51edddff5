import type { Connection, ConnectionSetup } from './connection.ts'
import { Http1Connection } from './http1-connection.ts'
import { Http2Connection } from './http2/connection.ts'
import type { PoolLimits } from './pool-limits.ts'
import { RoutePool } from './route-pool.ts'
import { openSocket, type SocketOptions } from './secure-socket.ts'
import type { OnAnswer, ProviderAnswer, ProviderRequest, ProviderRoute, Transport } from './transport.ts'

type PoolOptions = Omit<SocketOptions, 'connectMs'> & { readonly limits: PoolLimits }

/** The transport over HTTP/2, or HTTP/1.1 for a peer without it: a pool of connections for each route, opened at first use. */
export class Http2Pool implements Transport {
  readonly #options: PoolOptions
  readonly #routes = new Map<string, RoutePool>()
  /** The same by the route itself: a name of it for each message would cost more than its headers. */
  #known = new WeakMap<ProviderRoute, RoutePool>()
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  post(request: ProviderRequest, onAnswer: OnAnswer): void {
    if (this.#isClosed) return onAnswer({ kind: 'unsent', reason: 'closed' })
    const pool = this.#known.get(request.route) ?? this.#poolOf(request.route)
    if (pool === undefined) return onAnswer({ kind: 'unsent', reason: 'too many routes' })
    return pool.send(request, onAnswer)
  }

  async send(request: ProviderRequest): Promise<ProviderAnswer> {
    const { promise, resolve } = Promise.withResolvers<ProviderAnswer>()
    this.post(request, resolve)
    return promise
  }

  retire(route: ProviderRoute): void {
    this.#routes.get(keyOf(route))?.retire()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#routes.values()].map(async (pool) => pool.close()))
  }

  #poolOf(route: ProviderRoute): RoutePool | undefined {
    const pool = this.#routes.get(keyOf(route)) ?? this.#newPool(route)
    if (pool !== undefined) this.#known.set(route, pool)
    return pool
  }

  #newPool(route: ProviderRoute): RoutePool | undefined {
    if (this.#routes.size >= this.#options.limits.routesMax) this.#forgetQuiet()
    if (this.#routes.size >= this.#options.limits.routesMax) return undefined
    const pool = new RoutePool(async (events) => this.#open(route.origin, events), this.#options.limits)
    this.#routes.set(keyOf(route), pool)
    return pool
  }

  /** Closes the connections of routes without a request, so that routes of the past do not keep new ones out. */
  #forgetQuiet(): void {
    this.#known = new WeakMap()
    for (const [key, pool] of this.#routes) {
      if (!pool.isQuiet) continue
      pool.retire()
      this.#routes.delete(key)
    }
  }

  async #open(origin: string, events: ConnectionSetup['events']): Promise<Connection> {
    const { limits } = this.#options
    const socket = await openSocket(origin, { ...this.#options, connectMs: limits.connectMs })
    if (socket.alpnProtocol !== 'h2') return new Http1Connection(socket, { origin, limits, events })
    const connection = new Http2Connection(socket, { origin, limits, events })
    await connection.ready()
    return connection
  }
}

function keyOf({ origin, partition }: ProviderRoute): string {
  return `${origin} ${partition}`
}
