import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { VIRTUAL_LIMITS } from '../rules/virtual-devices.ts'
import { readBody } from './call.ts'
import { parseFaultDraft } from './fault-draft.ts'
import { parseObject } from './jwt.ts'
import type { Sandbox } from './sandbox.ts'

/**
 * The HTTP server through which other processes of this machine use the sandbox: `GET /inbox` lists the messages that
 * arrived, oldest first, and `POST /watched` those of some devices; `POST /devices/{platform}` makes a device, for a browser with `?vapid_key=` of its sender.
 * `POST /faults` adds a rule by which messages fail, `GET /faults` lists the rules, `DELETE /faults` removes them; with
 * `?brand=` those of one brand, otherwise those for every message.
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
      readBody(request, (body) => {
        const call = { asked: `${request.method} ${request.url}`, body: body.toString() }
        const { status, answer } =
          refusal === null ? answerOf(sandbox, call) : { status: refusal, answer: null }
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer))
      })
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

const FAULTS = /^(GET|DELETE) \/faults(?:\?brand=(\d{1,10}))?$/

type ControlCall = { readonly asked: string; readonly body: string }
type ControlAnswer = { readonly status: number; readonly answer: object | null }

function answerOf(sandbox: Sandbox, { asked, body }: ControlCall): ControlAnswer {
  const { inbox, fcm, apns, web } = sandbox
  if (asked === 'GET /inbox') return found({ total: inbox.total, arrivals: inbox.newest(ARRIVALS_SHOWN_MAX) })
  if (asked === 'POST /devices/android') return found({ platform: 'android', token: fcm.newToken() })
  if (asked === 'POST /devices/ios') return found({ platform: 'ios', token: apns.newToken() })
  if (asked === 'POST /watched') return watched(sandbox, body)
  if (asked === 'POST /faults') return addFault(sandbox, body)
  const [, method, brand] = FAULTS.exec(asked) ?? []
  if (method !== undefined) return faultsOf(sandbox, method, brand === undefined ? null : Number(brand))
  const browser = WEB_DEVICE.exec(asked)
  if (browser === null) return { status: 404, answer: null }
  return found({ platform: 'web', subscription: web.newSubscription(browser[1] ?? null) })
}

/** The messages of each address of a list, in its order. */
function watched({ inbox }: Sandbox, body: string): ControlAnswer {
  const addresses = parseObject(body)?.['addresses']
  if (!Array.isArray(addresses) || addresses.length > VIRTUAL_LIMITS.devicesMax) {
    return { status: 400, answer: { message: 'addresses must be a short list' } }
  }
  return found({ lists: addresses.map((address) => inbox.watch(String(address))) })
}

function addFault({ dial }: Sandbox, body: string): ControlAnswer {
  const draft = parseFaultDraft(body)
  if (typeof draft === 'string') return { status: 400, answer: { message: draft } }
  const rule = dial.add(draft)
  return rule === null ? { status: 409, answer: { message: 'too many rules' } } : found({ rule })
}

function faultsOf({ dial }: Sandbox, method: string, brandId: number | null): ControlAnswer {
  return found(method === 'GET' ? { rules: dial.list(brandId) } : { removed: dial.clear(brandId) })
}

function found(answer: object): ControlAnswer {
  return { status: 200, answer }
}
