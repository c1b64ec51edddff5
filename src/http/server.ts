import { randomUUIDv7 } from 'node:crypto'
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { fault } from '../domain/fault.ts'
import { LIMITS } from '../rules/limits.ts'
import { ByteBudget } from '../runtime/byte-budget.ts'
import { findKey } from '../store/api-keys.ts'
import { takeHits } from '../store/rate-limit.ts'
import { methodsAt } from './address.ts'
import { answer, type Gate, type Incoming } from './answer.ts'
import { replyBroken } from './client-error.ts'
import { replyPreflight } from './cors.ts'
import type { Deps } from './deps.ts'
import { replyFailure } from './failure.ts'
import { cacheKeys } from './key-cache.ts'
import { type HttpMeters, httpMeters } from './meters.ts'
import { Overload } from './overload.ts'
import { RateLimiter } from './rate-limit.ts'
import { type Reply, refuse } from './reply.ts'
import type { Route } from './route.ts'
import { SERVER_DEFAULTS, type ServerOptions } from './server-options.ts'
import { type Exchange, writeReply } from './write.ts'

export type Address = { readonly host: string; readonly port: number }

/** Our API on one port. Fastify finds the row of a request; everything before and after that is ours. */
export class HttpServer {
  readonly #app: FastifyInstance
  readonly #deps: Deps
  readonly #routes: readonly Route[]
  readonly #options: ServerOptions
  readonly #gate: Gate
  readonly #overload: Overload
  readonly #meters: HttpMeters
  /** The newest reply of each connection, and the row it is for. */
  readonly #last = new WeakMap<Socket, ServerResponse>()
  readonly #rows = new WeakMap<ServerResponse, Route>()
  #isStopping = false

  constructor(deps: Deps, routes: readonly Route[], options: Partial<ServerOptions> = {}) {
    this.#deps = deps
    this.#routes = routes
    this.#options = { ...SERVER_DEFAULTS, ...options }
    this.#gate = openGate(deps, this.#options)
    this.#overload = new Overload(this.#options)
    this.#meters = httpMeters(deps.metrics)
    this.#app = this.#openFastify()
    for (const route of routes) this.#add(route)
    for (const route of routes) if (route.cors !== undefined) this.#addPreflight(route)
    this.#app.server.on('request', (raw, response) => this.#watch(raw.socket, response))
  }

  /** Starts to accept connections; port 0 takes a free one. Gives back where it listens. */
  async listen(address: Address): Promise<Address> {
    this.#app.server.maxConnections = this.#options.connectionsMax
    await this.#app.listen({ host: address.host, port: address.port })
    const bound = this.#app.server.address()
    const port = typeof bound === 'object' && bound !== null ? bound.port : address.port
    return { host: address.host, port }
  }

  /**
   * Accepts nothing new, answers what is in flight and what idle connections still bring for a moment, then
   * closes. Work that outlasts `stopTimeoutMs` is cut off.
   */
  async stop(): Promise<void> {
    this.#isStopping = true
    await drain(this.#app.server, this.#options)
    await this.#app.close()
    this.#overload.stop()
  }

  #openFastify(): FastifyInstance {
    const { headersTimeoutMs, headerBytesMax, timeoutCheckMs } = this.#options
    const app = Fastify({
      logger: false,
      genReqId: () => randomUUIDv7(),
      requestTimeout: this.#options.requestTimeoutMs,
      connectionTimeout: this.#options.silenceTimeoutMs,
      keepAliveTimeout: this.#options.keepAliveMs,
      return503OnClosing: false,
      routerOptions: ROUTER,
      http: {
        headersTimeout: headersTimeoutMs,
        maxHeaderSize: headerBytesMax,
        connectionsCheckingInterval: timeoutCheckMs,
      },
      clientErrorHandler: (cause, socket) =>
        replyBroken(cause, { socket, last: this.#last.get(socket), headerBytesMax }),
      frameworkErrors: (_, request, out) => void this.#write(exchangeOf(request, out), refusePath()),
    })
    app.addHook('onRequest', async (request, out) => {
      if (request.is404) await this.#write(exchangeOf(request, out), this.#refuseAddress(request))
    })
    return app
  }

  /** Answered in a hook, before Fastify forms an opinion about the body: whoever asks is settled first. */
  #add(route: Route): void {
    this.#app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: async (request, out) => this.#serve(route, request, out),
      handler: notReached,
    })
  }

  /** Browsers ask here whether a page may call the row. */
  #addPreflight(route: Route): void {
    this.#app.route({
      method: 'OPTIONS',
      url: route.path,
      onRequest: async (request, out) => {
        const exchange = exchangeOf(request, out)
        const asked = incomingOf(route, request, exchange)
        const reply = await replyPreflight(this.#gate.findKey, route, asked).catch((cause: unknown) =>
          replyFailure(this.#deps, asked, cause),
        )
        await this.#write(exchange, reply)
      },
      handler: notReached,
    })
  }

  async #serve(route: Route, request: FastifyRequest, out: FastifyReply): Promise<void> {
    const exchange = exchangeOf(request, out)
    this.#rows.set(exchange.response, route)
    if (route.isExempt !== true) {
      if (this.#overload.isOver()) {
        this.#meters.shed()
        return this.#write(exchange, refuse({ faults: [fault('overloaded')] }))
      }
      const leave = this.#overload.enter()
      this.#meters.inFlight(this.#overload.inFlight)
      exchange.response.once('close', () => {
        leave()
        this.#meters.inFlight(this.#overload.inFlight)
      })
    }
    const reply = await answer(this.#gate, route, incomingOf(route, request, exchange))
    return this.#write(exchange, reply)
  }

  #refuseAddress(request: FastifyRequest): Reply {
    const methods = methodsAt(this.#routes, partsOf(request.url).path)
    if (methods.length === 0) return refuse({ faults: [fault('not_found')] })
    const allowed = methods.join(', ')
    const words = { method: request.method, allowed }
    return refuse({ faults: [fault('method_not_allowed', null, words)] }, { headers: { allow: allowed } })
  }

  /** Runs when the caller may be gone and the reply half sent: what goes wrong now can only be logged. */
  async #write(exchange: Exchange, reply: Reply): Promise<void> {
    const { bodyBytesMax } = this.#options
    try {
      await writeReply(exchange, reply, { isLast: this.#isStopping, bodyBytesMax })
    } catch (cause) {
      if (exchange.raw.socket.destroyed) return
      exchange.raw.socket.destroy()
      this.#deps.log.error('a reply broke off', { request_id: exchange.id, cause })
    }
  }

  #watch(socket: Socket, response: ServerResponse): void {
    const startedAt = performance.now()
    this.#last.set(socket, response)
    response.once('close', () => {
      const { method = '' } = response.req
      const route = this.#rows.get(response)
      const tookMs = performance.now() - startedAt
      // A method nobody has heard of is the caller's to invent, and must not become a series of its own.
      const facts = route === undefined ? { method: 'other', route: 'none' } : { method, route: route.path }
      this.#meters.served({ ...facts, status: response.statusCode, tookMs })
    })
  }
}

function notReached(): never {
  throw new Error('a request went past the hook that answers it')
}

const ROUTER = {
  caseSensitive: false,
  ignoreTrailingSlash: true,
  maxParamLength: 500,
  // Handlers read the query themselves, as URLSearchParams.
  querystringParser: () => ({}),
}

const KEYS_CACHED_MAX = 10_000

function openGate(deps: Deps, options: ServerOptions): Gate {
  const { bodyBytesMax, bodyTimeoutMs, ratePolicies, proxyHops } = options
  const { database, clock } = deps
  const cache = { clock, keepMs: LIMITS.keyCacheMs, entriesMax: KEYS_CACHED_MAX }
  return {
    deps,
    findKey: cacheKeys(async (hash) => findKey(database, hash), cache),
    limiter: new RateLimiter(async (request) => takeHits(database, request), ratePolicies),
    bodyBytesMax,
    bodyTimeoutMs,
    proxyHops,
    largeBodies: new ByteBudget({
      bytesMax: LIMITS.largeBodiesBytesMax,
      waitersMax: LARGE_BODIES_WAITING_MAX,
      waitMs: LARGE_BODY_WAIT_MS,
    }),
  }
}

/** Each of them holds what its socket has taken in, and nothing more. */
const LARGE_BODIES_WAITING_MAX = 64
const LARGE_BODY_WAIT_MS = 60_000

/** Takes the reply out of Fastify's hands: `write.ts` sends it. */
function exchangeOf(request: FastifyRequest, out: FastifyReply): Exchange {
  out.hijack()
  return { id: request.id, raw: request.raw, response: out.raw }
}

function incomingOf(route: Route, request: FastifyRequest, { id, raw, response }: Exchange): Incoming {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  const { method, path } = route
  const query = new URLSearchParams(partsOf(request.url).query)
  const params = paramsOf(request.params)
  return { id, method, path, params, query, headers: request.headers, signal: gone.signal, raw }
}

/** By hand, because the `URL` class throws at some of what callers send. */
function partsOf(url: string): { readonly path: string; readonly query: string } {
  const [path = '', ...query] = url.split('?')
  return { path, query: query.join('?') }
}

function paramsOf(params: unknown): Readonly<Record<string, string>> {
  if (typeof params !== 'object' || params === null) return {}
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
}

/** The router could not read the address: broken percent-encoding, or a parameter of absurd length. */
function refusePath(): Reply {
  return refuse({ faults: [fault('malformed_request', null, { detail: 'its address cannot be read' })] })
}

async function drain(server: Server, { quietMs, stopTimeoutMs }: ServerOptions): Promise<void> {
  if (!server.listening) return
  const { promise, resolve } = Promise.withResolvers<void>()
  // Not http's own close: it hangs up on idle connections at once, and a request may be on its way on one.
  NetServer.prototype.close.call(server, () => resolve())
  const quiet = setInterval(() => server.closeIdleConnections(), quietMs)
  const bound = setTimeout(() => server.closeAllConnections(), stopTimeoutMs)
  await promise
  clearInterval(quiet)
  clearTimeout(bound)
}
