import { once } from 'node:events'
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { endWith } from './beckon.ts'

/** A fault for one request: none, its answer is lost, or the proxy answers in place of the server. */
export type ProxyFault =
  | 'none'
  | 'answer lost'
  | { readonly status: number; readonly retryAfter: string; readonly code?: string }

export type SeenRequest = {
  /** Method and address. */
  readonly endpoint: string
  readonly idempotencyKey: string | undefined
  readonly body: string
}

/** A proxy in front of a server. The next requests meet the scripted faults, all later ones pass. */
export class FaultyProxy {
  /** Every request that passed, in order. */
  readonly seen: SeenRequest[] = []
  /** Every request that did not pass, because the proxy was disconnected. */
  readonly lost: SeenRequest[] = []
  readonly #proxy = createServer((request, response) => void this.#pass(request, response))
  readonly #port: number
  readonly #script: ProxyFault[]
  #isDisconnected = false

  constructor(port: number, script: readonly ProxyFault[]) {
    this.#port = port
    this.#script = [...script]
  }

  async listen(): Promise<void> {
    this.#proxy.listen(0, '127.0.0.1')
    await once(this.#proxy, 'listening')
  }

  get failures(): number {
    return this.lost.length
  }

  get url(): string {
    const address = this.#proxy.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy is not listening')
    return `http://127.0.0.1:${address.port}`
  }

  /** Lets no request pass, as without a network, until `reconnect`. */
  disconnect(): void {
    this.#isDisconnected = true
    this.#proxy.closeAllConnections()
  }

  reconnect(): void {
    this.#isDisconnected = false
  }

  close(): void {
    this.#proxy.closeAllConnections()
    this.#proxy.close()
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: path, headers } = request
    const body = await text(request)
    const idempotencyKey = headers['idempotency-key']?.toString()
    const list = this.#isDisconnected ? this.lost : this.seen
    list.push({ endpoint: `${method} ${path}`, idempotencyKey, body })
    if (this.#isDisconnected) {
      request.socket.destroy()
      return
    }
    const fault = this.#script.shift() ?? 'none'
    if (typeof fault === 'object') {
      const reply = fault.code === undefined ? '' : JSON.stringify({ code: fault.code })
      response.writeHead(fault.status, { 'retry-after': fault.retryAfter }).end(reply)
      return
    }
    const onward = forward({ port: this.#port, host: '127.0.0.1', method, path, headers }, (answer) => {
      if (this.#isDisconnected || fault === 'answer lost') request.socket.destroy()
      else answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers))
    })
    onward.on('error', () => request.socket.destroy()).end(body)
  }
}

/** A proxy that closes with the test. */
export async function startFaultyProxy(
  context: TestContext,
  port: number,
  script: readonly ProxyFault[] = [],
): Promise<FaultyProxy> {
  const proxy = new FaultyProxy(port, script)
  await proxy.listen()
  endWith(context, async () => proxy.close())
  return proxy
}
