import type { Connection, ConnectionSetup } from './connection.ts'
import { Http1Connection } from './http1-connection.ts'
import { Http2Connection } from './http2/connection.ts'
import type { PoolLimits } from './pool-limits.ts'
import { RoutePool } from './route-pool.ts'
import { openSocket, type SocketOptions } from './secure-socket.ts'
import type { ProviderAnswer, ProviderRequest, ProviderRoute, Transport } from './transport.ts'

type PoolOptions = Omit<SocketOptions, 'connectMs'> & { readonly limits: PoolLimits }

/** The transport over HTTP/2, or HTTP/1.1 for a peer without it: a pool of connections for each route, opened at first use. */
export class Http2Pool implements Transport {
  readonly #options: PoolOptions
  readonly #routes = new Map<string, RoutePool>()
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  async send(request: ProviderRequest): Promise<ProviderAnswer> {
    if (this.#isClosed) return { kind: 'unsent', reason: 'closed' }
    const pool = this.#poolOf(request.route)
    return pool === undefined ? { kind: 'unsent', reason: 'too many routes' } : pool.send(request)
  }

  retire(route: ProviderRoute): void {
    this.#routes.get(keyOf(route))?.retire()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#routes.values()].map(async (pool) => pool.close()))
  }

  #poolOf(route: ProviderRoute): RoutePool | undefined {
    const key = keyOf(route)
    const known = this.#routes.get(key)
    if (known !== undefined) return known
    if (this.#routes.size >= this.#options.limits.routesMax) this.#forgetQuiet()
    if (this.#routes.size >= this.#options.limits.routesMax) return undefined
    const pool = new RoutePool(async (events) => this.#open(route.origin, events), this.#options.limits)
    this.#routes.set(key, pool)
    return pool
  }

  /** Closes the connections of routes without a request, so that routes of the past do not keep new ones out. */
  #forgetQuiet(): void {
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
