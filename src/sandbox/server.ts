import { once } from 'node:events'
import type { Server as Http1Server } from 'node:http'
import type { Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { type Call, type CallReply, type GoawayManner, reply } from './call.ts'
import type { Certificate } from './certificate.ts'
import type { FaultScript, ProviderFault } from './faults.ts'
import { makeHttp1Server } from './http1-calls.ts'
import { Http2Calls, type Http2Settings } from './http2-calls.ts'
import { misbehave } from './misbehave.ts'

/** How one provider handles a call without a scripted fault. */
export type Provider = {
  readonly settings: Http2Settings
  readonly protocols: readonly ('h2' | 'http/1.1')[]
  readonly faults: FaultScript
  /** The address that the call is for; faults are scripted by address. */
  readonly addressOf: (call: Call) => string
  readonly answer: (call: Call) => CallReply
}

/** The fault that happens to a call beside the scripted ones. */
export type FaultOf = (call: Call) => ProviderFault | undefined

/** A provider on a loopback port. Calls can be queued, so that a test decides how many are in flight. */
export class SandboxServer {
  readonly #provider: Provider
  readonly #tls: Server
  readonly #http1: Http1Server
  readonly #sockets = new Set<Socket>()
  readonly #connections = new Set<Http2Calls>()
  readonly #faultOf: FaultOf
  #queued: Call[] | undefined

  constructor(provider: Provider, certificate: Certificate, faultOf: FaultOf = () => undefined) {
    this.#provider = provider
    this.#faultOf = faultOf
    this.#http1 = makeHttp1Server((call) => this.#receive(call))
    this.#tls = createServer({ ...certificate, ALPNProtocols: [...provider.protocols] }, (socket) =>
      this.#connect(socket),
    )
    // Sockets without a handshake are listed too, so that `close` does not wait for a handshake that never comes.
    this.#tls.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  async listen(port: number): Promise<void> {
    // `exclusive`: a process of a cluster would share the socket with its supervisor otherwise.
    this.#tls.listen({ port, host: '127.0.0.1', exclusive: true })
    await once(this.#tls, 'listening')
  }

  get origin(): string {
    const address = this.#tls.address()
    if (address === null || typeof address === 'string') throw new Error('the sandbox is not listening')
    return `https://localhost:${address.port}`
  }

  /** The connections over HTTP/2. */
  get connectionCount(): number {
    return this.#connections.size
  }

  get socketCount(): number {
    return this.#sockets.size
  }

  /** Calls from now on are read and wait for `release`. */
  queueCalls(): void {
    this.#queued ??= []
  }

  get queuedCount(): number {
    return this.#queued?.length ?? 0
  }

  /** Processes the oldest queued calls; without a count all of them, and queues no more. */
  release(count?: number): void {
    const queued = this.#queued ?? []
    this.#queued = count === undefined ? undefined : queued.slice(count)
    for (const call of queued.slice(0, count)) this.#process(call)
  }

  goaway(manner: GoawayManner): void {
    for (const connection of this.#connections) connection.goaway(manner)
  }

  async close(): Promise<void> {
    if (!this.#tls.listening) return
    const closed = once(this.#tls, 'close')
    this.#tls.close()
    for (const connection of this.#connections) connection.destroy()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #connect(socket: TLSSocket): void {
    socket.on('error', () => undefined)
    if (socket.alpnProtocol !== 'h2') return void this.#http1.emit('connection', socket)
    const connection = new Http2Calls(socket, this.#provider.settings, (call) => this.#receive(call))
    this.#connections.add(connection)
    socket.on('close', () => this.#connections.delete(connection))
    return undefined
  }

  #receive(call: Call): void {
    if (this.#queued === undefined) this.#process(call)
    else this.#queued.push(call)
  }

  #process(call: Call): void {
    const fault = this.#provider.faults.next(this.#provider.addressOf(call)) ?? this.#faultOf(call)
    if (fault?.kind === 'goaway') return misbehave(call, fault, () => this.#provider.answer(call))
    if (!call.begin()) return undefined
    if (fault !== undefined) return misbehave(call, fault, () => this.#provider.answer(call))
    return reply(call, this.#provider.answer(call))
  }
}
