import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Certificate } from '../../../src/sandbox/certificate.ts'
import type { Mailbox, PushMessage } from './mailbox.ts'
import { McsServer, portOf } from './mcs.ts'
import { writeBytes, writeFixed64, writeInteger } from './protobuf.ts'
import { PushEndpoint } from './push-endpoint.ts'

/** Debian's Chromium has no release channel and gets the endpoints of Google's test servers. */
export const GCM_ORIGIN = 'https://jmt17.google.com'
const ENDPOINT_PATH = '/fcm/send/'

/** Google's push service for one Chromium: check-in, registration, the connection to the browser, the endpoint. */
export class Gcm {
  readonly endpoint: PushEndpoint
  readonly #registrations = new Map<string, Registration>()
  readonly #mcs: McsServer
  readonly #desk: Server

  constructor(certificate: Certificate) {
    this.#mcs = new McsServer(certificate)
    this.endpoint = new PushEndpoint({ certificate, origin: GCM_ORIGIN, find: (path) => this.#mailbox(path) })
    this.#desk = createServer((request, response) => {
      void this.#attend(request).then((body) => response.end(body))
    })
  }

  async listen(): Promise<void> {
    this.#desk.listen(0, '127.0.0.1')
    await Promise.all([once(this.#desk, 'listening'), this.#mcs.listen(), this.endpoint.listen()])
  }

  /** What sends a Chromium here instead of to Google. */
  get flags(): readonly string[] {
    const desk = `http://127.0.0.1:${portOf(this.#desk.address())}`
    return [
      `--gcm-checkin-url=${desk}/checkin`,
      `--gcm-registration-url=${desk}/register`,
      `--gcm-mcs-endpoint=https://localhost:${this.#mcs.port}`,
    ]
  }

  async close(): Promise<void> {
    this.#desk.closeAllConnections()
    this.#desk.close()
    await Promise.all([this.#mcs.close(), this.endpoint.close()])
  }

  async #attend(request: IncomingMessage): Promise<string | Buffer> {
    const body = await text(request)
    if (request.url?.startsWith('/checkin') === true) return renderCheckin()
    const form = new URLSearchParams(body)
    const app = form.get('app') ?? ''
    const subtype = form.get('X-subtype') ?? ''
    if (form.get('delete') === 'true') {
      this.#forget(subtype)
      return `deleted=${app}`
    }
    const token = randomBytes(24).toString('base64url')
    const sender = form.get('sender') ?? ''
    this.#registrations.set(token, { app, subtype, sender, isGone: false })
    return `token=${token}`
  }

  #forget(subtype: string): void {
    for (const [token, registration] of this.#registrations) {
      if (registration.subtype === subtype) this.#registrations.set(token, { ...registration, isGone: true })
    }
  }

  #mailbox(path: string): Mailbox | null {
    const registration = this.#registrations.get(path.slice(ENDPOINT_PATH.length))
    if (registration === undefined || !path.startsWith(ENDPOINT_PATH)) return null
    return {
      vapidKey: registration.sender,
      isGone: registration.isGone,
      put: (message) => {
        const persistentId = `0:${randomUUID()}`
        this.#mcs.deliver(persistentId, renderStanza(registration, message, persistentId))
      },
    }
  }
}

type Registration = {
  readonly app: string
  readonly subtype: string
  readonly sender: string
  readonly isGone: boolean
}

/** AndroidCheckinResponse: fine, the time, the device's number and its secret, a version. */
function renderCheckin(): Buffer {
  return Buffer.concat([
    writeInteger(1, 1),
    writeInteger(3, Date.now()),
    writeFixed64(7, 4_242_424_242_424_242n),
    writeFixed64(8, 99n),
    writeBytes(11, 'test'),
  ])
}

/** DataMessageStanza, to be confirmed at once. */
function renderStanza(to: Registration, { body, ttlSeconds }: PushMessage, persistentId: string): Buffer {
  return Buffer.concat([
    writeBytes(2, randomUUID()),
    writeBytes(3, to.sender),
    writeBytes(5, to.app),
    writeBytes(7, appData('subtype', to.subtype)),
    writeBytes(7, appData('content-encoding', 'aes128gcm')),
    writeBytes(9, persistentId),
    writeInteger(17, ttlSeconds),
    writeInteger(18, Date.now()),
    writeBytes(21, body),
    writeInteger(24, 1),
  ])
}

function appData(key: string, value: string): Buffer {
  return Buffer.concat([writeBytes(1, key), writeBytes(2, value)])
}
