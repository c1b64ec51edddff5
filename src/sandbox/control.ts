import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Sandbox } from './sandbox.ts'

/**
 * The HTTP server through which other processes of this machine use the sandbox: `GET /inbox` lists the messages that
 * arrived, oldest first; `POST /devices/{platform}` makes a device, for a browser with `?vapid_key=` of its sender.
 *
 * The inbox has the messages and tokens of all brands, and every user of the machine can reach a loopback port. So each
 * call names the token as `Authorization: Bearer`; it is in the sandbox's file, which only its owner may read. The Host
 * header must be the server's own address, so that a page whose name was bound to 127.0.0.1 is refused too.
 */
export class SandboxControl {
  readonly token: string = randomBytes(32).toString('base64url')
  readonly #server: Server
  #host = ''

  constructor(sandbox: Sandbox) {
    this.#server = createServer((request, response) => {
      const refusal = this.#refusalOf(request)
      const answer = refusal === null ? answerOf(sandbox, `${request.method} ${request.url}`) : null
      response.writeHead(refusal ?? (answer === null ? 404 : 200), { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })
  }

  /** Returns the server's address. */
  async listen(): Promise<string> {
    this.#server.listen({ port: 0, host: '127.0.0.1', exclusive: true })
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the sandbox control has no port')
    this.#host = `127.0.0.1:${address.port}`
    return `http://${this.#host}`
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  /** The status that refuses a call, or null. */
  #refusalOf({ headers: { host, authorization = '' } }: IncomingMessage): 403 | 401 | null {
    if (host !== this.#host) return 403
    return timingSafeEqual(digest(authorization), digest(`Bearer ${this.token}`)) ? null : 401
  }
}

/** Digests have one length, which a comparison in constant time needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
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
