import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../../runtime/clock.ts'
import type { Call, CallReply } from '../call.ts'
import { FaultScript } from '../faults.ts'
import type { Inbox } from '../inbox.ts'
import { parseObject } from '../jwt.ts'
import type { Provider } from '../server.ts'
import { type Problem, REASONS } from './problem.ts'
import { ProviderTokens } from './provider-tokens.ts'
import { bundleOf, deviceOf, payloadProblem, requestProblem } from './request-checks.ts'

/** The credential that Apple would give to a brand. */
type ApnsCredential = {
  readonly keyPem: string
  readonly keyId: string
  readonly teamId: string
  readonly bundleId: string
}

/** The state of a device. A device that was never mentioned is registered, and has every app. */
type ApnsDevice =
  | { readonly kind: 'unregistered'; readonly since: number }
  | { readonly kind: 'expired'; readonly since: number }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'of_topic'; readonly topic: string }

/** APNs as its documentation describes it: what it checks, in which order, and what it answers. */
export class ApnsSandbox implements Provider {
  readonly settings = { streamsMax: 1000, headerBytesMax: 8000 }
  readonly protocols = ['h2'] as const
  readonly faults = new FaultScript()
  readonly tokens: ProviderTokens
  readonly #clock: Clock
  readonly #inbox: Inbox
  readonly #devices = new Map<string, ApnsDevice>()

  constructor(clock: Clock, inbox: Inbox) {
    this.#clock = clock
    this.#inbox = inbox
    this.tokens = new ProviderTokens(clock)
  }

  /** A key that this sandbox knows, for one app. */
  newCredential(bundleId = 'app.beckon.sandbox'): ApnsCredential {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const keyId = newIdentifier()
    const teamId = newIdentifier()
    this.tokens.add({ keyId, teamId, publicKey, topics: new Set([bundleId]) })
    return { keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }), keyId, teamId, bundleId }
  }

  newToken(): string {
    return randomBytes(32).toString('hex')
  }

  setDevice(token: string, device: ApnsDevice): void {
    if (this.#devices.size >= DEVICES_MAX) throw new Error('too many devices')
    this.#devices.set(token, device)
  }

  addressOf(call: Call): string {
    return deviceOf(call.path)
  }

  receiptOf(call: Call): string | null {
    const receipt = parseObject(call.body.toString())?.['receipt']
    return typeof receipt === 'string' ? receipt : null
  }

  answer(call: Call): CallReply {
    const problem = this.#problem(call)
    const id = call.headers['apns-id']
    const headers = { 'apns-id': typeof id === 'string' ? id : randomUUID().toUpperCase() }
    if (problem === null) {
      this.#accept(call)
      return { status: 200, headers, body: '' }
    }
    return { status: REASONS[problem.reason], headers, body: JSON.stringify(problem) }
  }

  #problem(call: Call): Problem | null {
    const shape = requestProblem(call)
    if (shape !== null) return shape
    const key = this.tokens.judge(call)
    if ('reason' in key) return key
    const bundle = bundleOf(String(call.headers['apns-topic']))
    if (!key.topics.has(bundle)) return { reason: 'TopicDisallowed' }
    return this.#deviceProblem(deviceOf(call.path), bundle) ?? payloadProblem(call)
  }

  #deviceProblem(token: string, bundle: string): Problem | null {
    const device = this.#devices.get(token)
    if (!DEVICE_TOKEN.test(token) || device?.kind === 'unknown') return { reason: 'BadDeviceToken' }
    if (device?.kind === 'unregistered') return { reason: 'Unregistered', timestamp: device.since }
    if (device?.kind === 'expired') return { reason: 'ExpiredToken', timestamp: device.since }
    const isOther = device?.kind === 'of_topic' && device.topic !== bundle
    return isOther ? { reason: 'DeviceTokenNotForTopic' } : null
  }

  #accept(call: Call): void {
    const shown = Object.entries(call.headers).filter(([name]) => name.startsWith('apns-'))
    const headers = Object.fromEntries(shown.map(([name, value]) => [name, String(value)]))
    this.#inbox.add({
      platform: 'ios',
      address: deviceOf(call.path),
      arrivedAt: this.#clock.now(),
      collapseId: headers['apns-collapse-id'] ?? null,
      headers,
      payload: parseObject(call.body.toString()),
    })
  }
}

const DEVICE_TOKEN = /^[0-9a-f]{64,200}$/i
const DEVICES_MAX = 1_000_000

/** Ten capitals and digits, as Apple's key and team ids are. */
function newIdentifier(): string {
  return randomBytes(5).toString('hex').toUpperCase()
}
