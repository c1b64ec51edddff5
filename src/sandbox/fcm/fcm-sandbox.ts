import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../../runtime/clock.ts'
import type { Call, CallReply } from '../call.ts'
import { FaultScript } from '../faults.ts'
import type { Inbox } from '../inbox.ts'
import { isObject, parseObject } from '../jwt.ts'
import type { Provider } from '../server.ts'
import { AccessTokens, type FcmAccount } from './access-tokens.ts'
import { type FcmFailure, failureReply, invalidArgument } from './failure.ts'
import { type FcmMessage, messageFailure } from './message-checks.ts'

/** The credential that Google would give to a brand. */
type FcmCredential = {
  readonly projectId: string
  readonly clientEmail: string
  readonly privateKeyPem: string
}

/** The state of a device. A device that was never mentioned is registered, in every project. */
type FcmDevice =
  | { readonly kind: 'unregistered' }
  | { readonly kind: 'of_project'; readonly projectId: string }

/** FCM HTTP v1 and Google's token endpoint, as Google documents them. */
export class FcmSandbox implements Provider {
  readonly settings = { streamsMax: 100, headerBytesMax: 16_384 }
  readonly protocols = ['h2', 'http/1.1'] as const
  readonly faults = new FaultScript()
  readonly accessTokens: AccessTokens
  readonly #clock: Clock
  readonly #inbox: Inbox
  readonly #devices = new Map<string, FcmDevice>()
  /** Each call is read several times, and its body parsed once. */
  readonly #messages = new WeakMap<Call, FcmMessage | null>()

  constructor(clock: Clock, inbox: Inbox) {
    this.#clock = clock
    this.#inbox = inbox
    this.accessTokens = new AccessTokens(clock)
  }

  /** A service account that this sandbox knows, in a project of its own. */
  newCredential(): FcmCredential {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const projectId = `sandbox-${randomBytes(4).toString('hex')}`
    const email = `beckon@${projectId}.iam.gserviceaccount.com`
    this.accessTokens.add({ projectId, email, publicKey })
    const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    return { projectId, clientEmail: email, privateKeyPem }
  }

  newToken(): string {
    return `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(100).toString('base64url')}`
  }

  setDevice(token: string, device: FcmDevice): void {
    if (this.#devices.size >= DEVICES_MAX) throw new Error('too many devices')
    this.#devices.set(token, device)
  }

  /** A device's token, or the path of the token endpoint. */
  addressOf(call: Call): string {
    if (call.path === TOKEN_PATH) return TOKEN_PATH
    const message = this.#messageOf(call)
    return typeof message?.['token'] === 'string' ? message['token'] : ''
  }

  receiptOf(call: Call): string | null {
    const data = this.#messageOf(call)?.['data']
    return isObject(data) && typeof data['receipt'] === 'string' ? data['receipt'] : null
  }

  answer(call: Call): CallReply {
    if (call.method === 'POST' && call.path === TOKEN_PATH) {
      return this.accessTokens.answer(call, `https://${hostOf(call)}${TOKEN_PATH}`)
    }
    const account = this.accessTokens.accountOf(call.headers.authorization)
    const message = this.#messageOf(call)
    const failure = this.#failure(call, account, message)
    if (failure !== null) return failureReply(failure)
    this.#accept(message ?? {})
    const name = `projects/${account?.projectId}/messages/0:${randomUUID().replaceAll('-', '')}`
    return { status: 200, headers: JSON_HEADERS, body: JSON.stringify({ name }) }
  }

  #messageOf(call: Call): FcmMessage | null {
    const known = this.#messages.get(call)
    if (known !== undefined) return known
    const parsed = parseObject(call.body.toString())?.['message']
    const message = isObject(parsed) ? parsed : null
    this.#messages.set(call, message)
    return message
  }

  #failure(call: Call, account: FcmAccount | null, message: FcmMessage | null): FcmFailure | null {
    const [, projectId] = SEND_PATH.exec(call.path) ?? []
    if (call.method !== 'POST' || projectId === undefined) return NOT_FOUND
    if (account === null) return UNAUTHENTICATED
    if (decodeURIComponent(projectId) !== account.projectId) return PERMISSION_DENIED
    if (message === null) return invalidArgument('message', 'Invalid JSON payload received.')
    return messageFailure(message) ?? this.#deviceFailure(message['token'], account.projectId)
  }

  #deviceFailure(token: unknown, projectId: string): FcmFailure | null {
    if (typeof token !== 'string' || !TOKEN.test(token)) {
      return invalidArgument('message.token', 'The registration token is not a valid FCM registration token')
    }
    const device = this.#devices.get(token)
    if (device?.kind === 'unregistered') return UNREGISTERED
    return device?.kind === 'of_project' && device.projectId !== projectId ? SENDER_ID_MISMATCH : null
  }

  #accept(message: FcmMessage): void {
    const options = isObject(message['android']) ? message['android']['notification'] : undefined
    const tag = isObject(options) ? options['tag'] : undefined
    this.#inbox.add({
      platform: 'android',
      address: String(message['token']),
      arrivedAt: this.#clock.now(),
      collapseId: typeof tag === 'string' ? tag : null,
      headers: {},
      payload: message,
    })
  }
}

export const TOKEN_PATH = '/token'
const SEND_PATH = /^\/v1\/projects\/([^/]+)\/messages:send$/
const TOKEN = /^[\w-]{10,}:APA91b[\w-]{100,}$/
const DEVICES_MAX = 1_000_000
const JSON_HEADERS = { 'content-type': 'application/json; charset=UTF-8' }

const NOT_FOUND = { status: 404, rpcStatus: 'NOT_FOUND', message: 'Requested entity was not found.' }
const UNREGISTERED = { ...NOT_FOUND, errorCode: 'UNREGISTERED' }
const UNAUTHENTICATED = {
  status: 401,
  rpcStatus: 'UNAUTHENTICATED',
  message: 'Request had invalid authentication credentials. Expected OAuth 2 access token.',
}
const PERMISSION_DENIED = {
  status: 403,
  rpcStatus: 'PERMISSION_DENIED',
  message: "Permission 'cloudmessaging.messages.create' denied on resource.",
}
const SENDER_ID_MISMATCH = {
  status: 403,
  rpcStatus: 'PERMISSION_DENIED',
  errorCode: 'SENDER_ID_MISMATCH',
  message: 'SenderId mismatch',
}

function hostOf({ headers }: Call): string {
  return String(headers[':authority'] ?? headers.host)
}
