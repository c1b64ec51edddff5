import { randomUUIDv7 } from 'node:crypto'
import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { fault } from '../domain/fault.ts'
import { encodeJson } from '../domain/json.ts'
import { findKey } from '../store/api-keys.ts'
import { methodsAt } from './address.ts'
import { answer, type Gate, type Incoming } from './answer.ts'
import type { Deps } from './deps.ts'
import { type Reply, refuse } from './reply.ts'
import type { Route } from './route.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { SERVER_DEFAULTS, type ServerOptions } from './server-options.ts'

export type Address = { readonly host: string; readonly port: number }

/** Our API on one port. Fastify finds the row of a request and writes the reply; all between is ours. */
export class HttpServer {
  readonly #app: FastifyInstance
  readonly #options: ServerOptions
  readonly #routes: readonly Route[]
  readonly #gate: Gate
  #isDraining = false

  constructor(deps: Deps, routes: readonly Route[], options: Partial<ServerOptions> = {}) {
    this.#options = { ...SERVER_DEFAULTS, ...options }
    this.#routes = routes
    const { bodyBytesMax, bodyTimeoutMs } = this.#options
    const lookUp = async (hash: Uint8Array) => findKey(deps.database, hash)
    this.#gate = { deps, findKey: lookUp, bodyBytesMax, bodyTimeoutMs }
    this.#app = openFastify(this.#options)
    for (const route of routes) this.#add(route)
    this.#app.setNotFoundHandler(async (request, out) => this.#write(out, this.#refuseAddress(request)))
  }

  /** Starts to accept connections; port 0 takes a free one. Gives back where it listens. */
  async listen(address: Address): Promise<Address> {
    await this.#app.listen({ host: address.host, port: address.port })
    const bound = this.#app.server.address()
    return {
      host: address.host,
      port: typeof bound === 'object' && bound !== null ? bound.port : address.port,
    }
  }

  /**
   * Accepts nothing new, answers what is in flight and what idle connections still bring for a moment, then
   * closes. Work that outlasts `stopTimeoutMs` is cut off.
   */
  async stop(): Promise<void> {
    this.#isDraining = true
    const { server } = this.#app
    await drain(server, this.#options)
    await this.#app.close()
  }

  #add(route: Route): void {
    this.#app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: async (request, out) => {
        const reply = await answer(this.#gate, route, incomingOf(route, request, out))
        return this.#write(out, reply)
      },
    })
  }

  #refuseAddress(request: FastifyRequest): Reply {
    const methods = methodsAt(this.#routes, new URL(request.url, 'http://host').pathname)
    if (methods.length === 0) return refuse({ faults: [fault('not_found')] })
    const allowed = methods.join(', ')
    const words = { method: request.method, allowed }
    return refuse({ faults: [fault('method_not_allowed', null, words)] }, { allow: allowed })
  }

  #write(out: FastifyReply, reply: Reply): FastifyReply {
    out.code(reply.status).headers(SECURITY_HEADERS).header('x-request-id', out.request.id)
    if (this.#isDraining) out.header('connection', 'close')
    const { body, headers = {} } = reply
    out.headers(headers)
    if (body === null || typeof body === 'string') return out.send(body)
    if (Symbol.asyncIterator in body) return out.send(Readable.from(body))
    const stamped = reply.isExact === true ? body : { ...body, request_id: out.request.id }
    return out.type('application/json; charset=utf-8').send(encodeJson(stamped))
  }
}

function openFastify(options: ServerOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUIDv7(),
    requestTimeout: options.requestTimeoutMs,
    connectionTimeout: options.silenceTimeoutMs,
    keepAliveTimeout: options.keepAliveMs,
    return503OnClosing: false,
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      maxParamLength: 500,
      querystringParser: () => ({}),
    },
    http: {
      headersTimeout: options.headersTimeoutMs,
      maxHeaderSize: options.headerBytesMax,
      connectionsCheckingInterval: options.timeoutCheckMs,
    },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return app
}

function incomingOf(route: Route, request: FastifyRequest, out: FastifyReply): Incoming {
  const gone = new AbortController()
  out.raw.once('close', () => {
    if (!out.raw.writableFinished) gone.abort()
  })
  return {
    id: request.id,
    method: route.method,
    path: route.path,
    params: paramsOf(request.params),
    query: new URL(request.url, 'http://host').searchParams,
    headers: request.headers,
    signal: gone.signal,
    raw: request.raw,
  }
}

function paramsOf(params: unknown): Readonly<Record<string, string>> {
  if (typeof params !== 'object' || params === null) return {}
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
}

async function drain(server: Server, options: ServerOptions): Promise<void> {
  if (!server.listening) return
  const { promise, resolve } = Promise.withResolvers<void>()
  // Not http's own close: it hangs up on idle connections at once, and a request may be on its way on one.
  NetServer.prototype.close.call(server, () => resolve())
  const quiet = setTimeout(() => server.closeIdleConnections(), options.quietMs)
  const bound = setTimeout(() => server.closeAllConnections(), options.stopTimeoutMs)
  await promise
  clearTimeout(quiet)
  clearTimeout(bound)
}
