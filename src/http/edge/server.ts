import { randomUUIDv7 } from 'node:crypto'
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { fault } from '../../domain/fault.ts'
import { EventLoopDelay } from '../../runtime/limits/event-loop-delay.ts'
import { Limiter, type Permit } from '../../runtime/limits/limiter.ts'
import type { ListenAddress } from '../../runtime/processes/listen-error.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse } from '../reply.ts'
import type { Method, Route } from '../route.ts'
import { answer } from './answer.ts'
import { CallerGone } from './body.ts'
import { replyBroken } from './client-error.ts'
import { replyPreflight, withReadableRefusal } from './cors.ts'
import { type EdgeDeps, type Incoming, openEdge } from './edge-deps.ts'
import { refuseForNow } from './failure.ts'
import { type HttpMeters, httpMeters } from './meters.ts'
import { logRequest, type RequestRecord } from './request-log.ts'
import { SERVER_DEFAULTS, type ServerOptions } from './server-options.ts'
import { type Exchange, writeReply } from './write.ts'

/** The API on one port. Fastify finds the route of a request; this folder does everything before and after that. */
export class HttpServer {
  readonly #app: FastifyInstance
  readonly #deps: Deps
  readonly #routes: readonly Route[]
  readonly #options: ServerOptions
  readonly #edge: EdgeDeps
  readonly #inFlight: Limiter
  readonly #loopDelay: EventLoopDelay
  readonly #meters: HttpMeters
  /** The newest reply of each connection, and the record of each reply. */
  readonly #last = new WeakMap<Socket, ServerResponse>()
  readonly #records = new WeakMap<ServerResponse, RequestRecord>()
  #isStopping = false

  constructor(deps: Deps, routes: readonly Route[], options: Partial<ServerOptions> = {}) {
    this.#deps = deps
    this.#routes = routes
    this.#options = { ...SERVER_DEFAULTS, ...options }
    this.#edge = openEdge(deps, this.#options)
    this.#inFlight = new Limiter({ capacity: this.#options.inFlightMax })
    this.#loopDelay = new EventLoopDelay()
    this.#meters = httpMeters(deps.metrics)
    this.#app = this.#openFastify()
    for (const route of routes) this.#add(route)
    for (const route of routes) if (route.cors !== undefined) this.#addPreflight(route)
    this.#app.server.on('request', (raw, response) => this.#watch(raw.socket, response))
  }

  /** Starts to accept connections and returns the address; port 0 takes a free port. */
  async listen(address: ListenAddress): Promise<ListenAddress> {
    const { connectionsMax } = this.#options
    this.#app.server.maxConnections = connectionsMax
    // A crowd that connects while the loop is busy waits in the system's queue. Beyond it a connection is made only
    // seconds later, or reset; the system caps the queue by itself.
    await this.#app.listen({ host: address.host, port: address.port, backlog: connectionsMax })
    const bound = this.#app.server.address()
    const port = typeof bound === 'object' && bound !== null ? bound.port : address.port
    return { host: address.host, port }
  }

  /** Drops the cached API keys, because some were revoked. */
  forgetKeys(): void {
    this.#edge.forgetKeys()
    this.#deps.live.checkAccess()
  }

  /**
   * Accepts no new connections, answers requests in flight and those that idle connections still bring for a moment,
   * then closes. Requests that take longer than `stopTimeoutMs` are cut off.
   */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#deps.live.stop()
    await drainServer(this.#app.server, this.#options)
    await this.#app.close()
    this.#loopDelay.stop()
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
        // Node would refuse a request without Host with an empty reply; `answer.ts` refuses it with an error body.
        requireHostHeader: false,
      },
      clientErrorHandler: (cause, socket) =>
        replyBroken(cause, {
          socket,
          last: this.#last.get(socket),
          headerBytesMax,
          onReplied: this.#logBroken,
        }),
      frameworkErrors: (_, request, out) => void this.#write(this.#open(request, out), refusePath()),
    })
    app.addHook('onRequest', async (request, out) => {
      if (request.is404) await this.#write(this.#open(request, out), this.#refuseAddress(request))
    })
    return app
  }

  /** Answers in a hook, before Fastify reads the body, because the API key is checked first. */
  #add(route: Route): void {
    this.#app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: async (request, out) => this.#serve(route, request, out),
      handler: notReached,
    })
  }

  /** Preflights: browsers ask whether a page may call the route. */
  #addPreflight(route: Route): void {
    this.#app.route({
      method: 'OPTIONS',
      url: route.path,
      onRequest: async (request, out) => {
        await this.#write(this.#open(request, out, route), replyPreflight(route))
      },
      handler: notReached,
    })
  }

  async #serve(route: Route, request: FastifyRequest, out: FastifyReply): Promise<void> {
    const exchange = this.#open(request, out, route)
    const permit = route.isExempt === true ? NO_PERMIT : this.#admit()
    if (permit === null) return this.#write(exchange, withReadableRefusal(route, refuseForNow(this.#deps)))
    const release = (): void => {
      permit.release()
      this.#meters.inFlight(this.#inFlight.taken)
    }
    exchange.response.once('close', release)
    const reply = await answer(this.#edge, route, incomingOf(route, request, exchange))
    if (route.isLive === true) release()
    return this.#write(exchange, withReadableRefusal(route, reply))
  }

  /**
   * Null when this process has enough to do. Refusing at once is kinder than a queue: a caller who is told can come
   * back, and requests that were let in are served.
   */
  #admit(): Permit | null {
    const { loopDelayMaxMs, lateInFlightMin } = this.#options
    const isLate = this.#loopDelay.ms > loopDelayMaxMs && this.#inFlight.taken >= lateInFlightMin
    const permit = isLate ? null : this.#inFlight.tryTake()
    if (permit === null) this.#meters.shed()
    else this.#meters.inFlight(this.#inFlight.taken)
    return permit
  }

  #refuseAddress(request: FastifyRequest): Reply {
    const methods = methodsAt(this.#routes, partsOf(request.url).path)
    if (methods.length === 0) return refuse({ faults: [fault('not_found')] })
    const allowed = methods.join(', ')
    const words = { method: request.method, allowed }
    return refuse({ faults: [fault('method_not_allowed', null, words)] }, { headers: { allow: allowed } })
  }

  readonly #logBroken = (id: string, status: number): void => {
    const record = { id, route: null, caller: null }
    if (this.#options.logsRequests) logRequest(this.#deps.log, { record, method: 'none', status, tookMs: 0 })
  }

  /** Tells Fastify not to reply: `write.ts` does. */
  #open(request: FastifyRequest, out: FastifyReply, route: Route | null = null): Exchange {
    out.hijack()
    const { id, raw } = request
    const record = { id, route, caller: null }
    this.#records.set(out.raw, record)
    return { id, raw, response: out.raw, record }
  }

  /** The caller may be gone and the reply half sent, so an error can only be logged. */
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
      const record = this.#records.get(response)
      const route = record?.route ?? null
      const served = { status: response.statusCode, tookMs: performance.now() - startedAt }
      // Callers can invent methods, so a request without a route must not become a metric series of its own.
      const facts = route === null ? { method: 'other', route: 'none' } : { method, route: route.path }
      this.#meters.served({ ...facts, ...served })
      if (record !== undefined && this.#options.logsRequests)
        logRequest(this.#deps.log, { record, method, ...served })
    })
  }
}

/** Takes no new connections, answers requests in flight or on their way, and then closes. */
async function drainServer(server: Server, { quietMs, stopTimeoutMs }: ServerOptions): Promise<void> {
  if (!server.listening) return
  const { promise, resolve } = Promise.withResolvers<void>()
  // Not http's own close: it closes idle connections at once, and a request may be on its way on one of them.
  NetServer.prototype.close.call(server, () => resolve())
  const quiet = setInterval(() => server.closeIdleConnections(), quietMs)
  const bound = setTimeout(() => server.closeAllConnections(), stopTimeoutMs)
  await promise
  clearInterval(quiet)
  clearTimeout(bound)
}

/** The methods that a path takes, so that a wrong method is told from a wrong path. */
function methodsAt(routes: readonly Route[], pathname: string): readonly (Method | 'HEAD')[] {
  const found = routes.filter((route) => patternOf(route.path).test(pathname)).map((route) => route.method)
  const methods: readonly (Method | 'HEAD')[] = found.includes('GET') ? [...found, 'HEAD'] : found
  return [...new Set(methods)].toSorted()
}

/** Letter case and a slash at the end do not matter (decisions §2). */
function patternOf(path: string): RegExp {
  const source = path
    .replace(/[.+?^$()|[\]\\]/g, '\\$&')
    .replaceAll(/\{\w+\}/g, '[^/]+')
    .replace(/\*$/, '.+')
  return new RegExp(`^${source.replace(/\/$/, '')}/?$`, 'i')
}

const NO_PERMIT: Permit = { weight: 0, release: () => undefined }

function notReached(): never {
  throw new Error('a request went past the hook that answers it')
}

const ROUTER = {
  caseSensitive: false,
  ignoreTrailingSlash: true,
  maxParamLength: 500,
  // Handlers get the query as URLSearchParams.
  querystringParser: () => ({}),
}

function incomingOf(
  route: Route,
  request: FastifyRequest,
  { id, raw, response, record }: Exchange,
): Incoming {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new CallerGone('the caller hung up'))
  })
  const { method, path } = route
  const query = new URLSearchParams(partsOf(request.url).query)
  const params = paramsOf(request.params)
  return { id, method, path, params, query, headers: request.headers, signal: gone.signal, raw, record }
}

/** Splits by hand, because the `URL` class throws at some addresses that callers send. */
function partsOf(url: string): { readonly path: string; readonly query: string } {
  const [path = '', ...query] = url.split('?')
  return { path, query: query.join('?') }
}

function paramsOf(params: unknown): Readonly<Record<string, string>> {
  if (typeof params !== 'object' || params === null) return {}
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
}

/** For an address that the router cannot read: broken percent-encoding, or a parameter that is too long. */
function refusePath(): Reply {
  return refuse({ faults: [fault('malformed_request', null, { detail: 'its address cannot be read' })] })
}
