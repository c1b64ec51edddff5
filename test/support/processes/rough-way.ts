import { once } from 'node:events'
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { endWith } from './beckon.ts'

/** What happens to a request: it goes through, its answer is lost, or it is answered in the server's place. */
export type Mishap = 'none' | 'answer lost' | { readonly status: number; readonly retryAfter: string }

export type SeenRequest = {
  /** Method and address. */
  readonly endpoint: string
  readonly idempotencyKey: string | undefined
  readonly body: string
}

/** A proxy before a server. The next requests fare as scripted, all others well. */
export class RoughWay {
  /** Every request that got in, in order. */
  readonly seen: SeenRequest[] = []
  /** Every request that did not, because the way was cut. */
  readonly lost: SeenRequest[] = []
  readonly #proxy = createServer((request, response) => void this.#pass(request, response))
  readonly #port: number
  readonly #script: Mishap[]
  #isCut = false

  constructor(port: number, script: readonly Mishap[]) {
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
    if (address === null || typeof address === 'string') throw new Error('the way is not open')
    return `http://127.0.0.1:${address.port}`
  }

  /** From now on nothing gets through, as without a network; `mend` ends it. */
  cut(): void {
    this.#isCut = true
    this.#proxy.closeAllConnections()
  }

  mend(): void {
    this.#isCut = false
  }

  close(): void {
    this.#proxy.closeAllConnections()
    this.#proxy.close()
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: path, headers } = request
    const body = await text(request)
    const idempotencyKey = headers['idempotency-key']?.toString()
    const list = this.#isCut ? this.lost : this.seen
    list.push({ endpoint: `${method} ${path}`, idempotencyKey, body })
    if (this.#isCut) {
      request.socket.destroy()
      return
    }
    const mishap = this.#script.shift() ?? 'none'
    if (typeof mishap === 'object') {
      response.writeHead(mishap.status, { 'retry-after': mishap.retryAfter }).end()
      return
    }
    const onward = forward({ port: this.#port, host: '127.0.0.1', method, path, headers }, (answer) => {
      if (this.#isCut || mishap === 'answer lost') request.socket.destroy()
      else answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers))
    })
    onward.on('error', () => request.socket.destroy()).end(body)
  }
}

/** A way that closes with the test. */
export async function startRoughWay(
  context: TestContext,
  port: number,
  script: readonly Mishap[] = [],
): Promise<RoughWay> {
  const way = new RoughWay(port, script)
  await way.listen()
  endWith(context, async () => way.close())
  return way
}
