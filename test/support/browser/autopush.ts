import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Certificate } from '../../../src/sandbox/certificate.ts'
import type { Mailbox, PushMessage } from './mailbox.ts'
import { portOf } from './mcs.ts'
import { PushEndpoint } from './push-endpoint.ts'

const ENDPOINT_PATH = '/wpush/v2/'

/** Mozilla's push service for one Firefox (autopush): the WebSocket of the browser, and the endpoint. */
export class Autopush {
  readonly endpoint: PushEndpoint
  /** What became of each message that the browser confirmed: 100 arrived, 101 unreadable, 102 not taken. */
  readonly confirmed: number[] = []
  readonly #channels = new Map<string, Channel>()
  readonly #unconfirmed = new Map<string, object>()
  readonly #sockets: WebSocketServer
  #isForgetful = false

  constructor(certificate: Certificate) {
    this.endpoint = new PushEndpoint({ certificate, find: (path) => this.#mailbox(path) })
    this.#sockets = new WebSocketServer({
      host: '127.0.0.1',
      port: 0,
      handleProtocols: (offered) => (offered.has('push-notification') ? 'push-notification' : false),
    })
    this.#sockets.on('connection', (socket) => {
      socket.on('message', (text: Buffer) => this.#take(socket, JSON.parse(text.toString())))
    })
  }

  async listen(): Promise<void> {
    await Promise.all([once(this.#sockets, 'listening'), this.endpoint.listen()])
  }

  /** What sends a Firefox here instead of to Mozilla. */
  get preferences(): Readonly<Record<string, string | boolean | number>> {
    return {
      'dom.push.serverURL': `ws://127.0.0.1:${portOf(this.#sockets.address())}/`,
      'dom.push.testing.allowInsecureServerURL': true,
      // Firefox switches it off when it is driven from outside.
      'dom.push.connection.enabled': true,
      // How long it waits before it comes back.
      'dom.push.retryBaseInterval': 100,
    }
  }

  /** As after a loss of its database: the browser comes back under a name nobody knows, and gets another. */
  forget(): void {
    this.#isForgetful = true
    for (const id of this.#channels.keys()) this.#channels.set(id, { vapidKey: '', isGone: true })
    for (const socket of this.#sockets.clients) socket.terminate()
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#sockets.close()
    await this.endpoint.close()
  }

  #take(socket: WebSocket, message: BrowserMessage): void {
    const { messageType, channelID = '', key = '', updates = [] } = message
    switch (messageType) {
      case 'hello':
        say(socket, {
          messageType,
          status: 200,
          uaid: this.#isForgetful ? newUaid() : (message.uaid ?? newUaid()),
          use_webpush: true,
          broadcasts: {},
        })
        this.#isForgetful = false
        for (const waiting of this.#unconfirmed.values()) say(socket, waiting)
        return
      case 'register':
        this.#channels.set(channelID, { vapidKey: key.replace(/=+$/, ''), isGone: false })
        say(socket, { messageType, status: 200, channelID, pushEndpoint: this.#endpointOf(channelID) })
        return
      case 'unregister':
        this.#channels.set(channelID, { vapidKey: '', isGone: true })
        say(socket, { messageType, status: 200, channelID })
        return
      case 'ack':
        for (const { version, code } of updates) this.#confirm(version, code)
        return
      case 'nack':
        this.#confirm(message.version ?? '', message.code ?? 0)
        return
      case undefined:
        // An empty object is a ping.
        say(socket, {})
        return
      default:
        return
    }
  }

  #endpointOf(channelID: string): string {
    return `${this.endpoint.origin}${ENDPOINT_PATH}${channelID}`
  }

  #confirm(version: string, code: number): void {
    this.#unconfirmed.delete(version)
    this.confirmed.push(code)
  }

  #mailbox(path: string): Mailbox | null {
    const channelID = path.slice(ENDPOINT_PATH.length)
    const channel = this.#channels.get(channelID)
    if (channel === undefined || !path.startsWith(ENDPOINT_PATH)) return null
    return { ...channel, put: (message) => this.#put(channelID, message) }
  }

  #put(channelID: string, { body, ttlSeconds }: PushMessage): void {
    const version = randomUUID()
    const data = body.toString('base64url')
    const headers = { encoding: 'aes128gcm' }
    const message = { messageType: 'notification', channelID, version, ttl: ttlSeconds, data, headers }
    this.#unconfirmed.set(version, message)
    for (const socket of this.#sockets.clients) say(socket, message)
  }
}

type Channel = Pick<Mailbox, 'vapidKey' | 'isGone'>

type BrowserMessage = {
  readonly messageType?: string
  readonly uaid?: string
  readonly channelID?: string
  readonly key?: string
  readonly version?: string
  readonly code?: number
  readonly updates?: readonly { readonly version: string; readonly code: number }[]
}

function say(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message))
}

function newUaid(): string {
  return randomUUID().replaceAll('-', '')
}
