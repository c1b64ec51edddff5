import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Inbox } from './inbox.ts'

/** Tells other processes of this machine what arrived: `GET /` is the newest arrivals, oldest first. */
export class InboxServer {
  readonly #server: Server

  constructor(inbox: Inbox) {
    this.#server = createServer((_, response) => {
      const body = JSON.stringify({ total: inbox.total, arrivals: inbox.newest(ARRIVALS_SHOWN_MAX) })
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
  }

  /** Gives its address. */
  async listen(): Promise<string> {
    this.#server.listen({ port: 0, host: '127.0.0.1', exclusive: true })
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the inbox has no port')
    return `http://127.0.0.1:${address.port}/`
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

const ARRIVALS_SHOWN_MAX = 1_000
