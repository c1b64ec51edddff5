import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Sandbox } from './sandbox.ts'

/**
 * The HTTP server through which other processes of this machine use the sandbox: `GET /inbox` lists the messages that
 * arrived, oldest first; `POST /devices/{platform}` makes a device, for a browser with `?vapid_key=` of its sender.
 */
export class SandboxControl {
  readonly #server: Server

  constructor(sandbox: Sandbox) {
    this.#server = createServer((request, response) => {
      const answer = answerOf(sandbox, `${request.method} ${request.url}`)
      response.writeHead(answer === null ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })
  }

  /** Returns the server's address. */
  async listen(): Promise<string> {
    this.#server.listen({ port: 0, host: '127.0.0.1', exclusive: true })
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the sandbox control has no port')
    return `http://127.0.0.1:${address.port}`
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

const ARRIVALS_SHOWN_MAX = 1_000
const WEB_DEVICE = /^POST \/devices\/web(?:\?vapid_key=([\w-]*))?$/

function answerOf({ inbox, fcm, apns, web }: Sandbox, asked: string): object | null {
  if (asked === 'GET /inbox') return { total: inbox.total, arrivals: inbox.newest(ARRIVALS_SHOWN_MAX) }
  if (asked === 'POST /devices/android') return { platform: 'android', token: fcm.newToken() }
  if (asked === 'POST /devices/ios') return { platform: 'ios', token: apns.newToken() }
  const browser = WEB_DEVICE.exec(asked)
  return browser === null ? null : { platform: 'web', subscription: web.newSubscription(browser[1] ?? null) }
}
