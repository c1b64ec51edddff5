import { type Fault, fault } from '../../domain/fault.ts'
import { isP256Point } from '../../domain/push/p256.ts'
import { type ExtraHosts, endpointFlaw } from '../../domain/push/push-endpoint.ts'
import type { Device } from '../../domain/subscriptions/subscription.ts'
import type { Warning } from '../../domain/warning.ts'
import type { Platform } from '../../rules/platforms.ts'
import { SUBSCRIPTION_LIMITS, WEB_KEY_FIELDS, WEB_SUBSCRIPTION_FIELDS } from '../../rules/subscriptions.ts'
import { fieldRules, missingFaults, type ReadFields, readFields } from '../fields/fields.ts'
import { objectIn, textIn } from '../fields/value.ts'

/** A device, or why there is none. Both are empty when a field it needs was already refused. */
export type DeviceReading = {
  readonly device: Device | null
  readonly faults: readonly Fault[]
  readonly warnings: readonly Warning[]
}

/** The device of an app, by the token its provider gave it. */
export function readAppDevice(platform: Exclude<Platform, 'web'>, { values }: ReadFields): DeviceReading {
  const token = textIn(values, 'token')
  if (token === null) return NOTHING
  if (platform === 'android') {
    return ANDROID_TOKEN.test(token)
      ? found({ kind: 'android', token })
      : refused('token', 'it contains a blank')
  }
  if (!IOS_TOKEN.test(token)) {
    const { iosTokenBytesMin, iosTokenBytesMax } = SUBSCRIPTION_LIMITS
    return refused('token', `it must be ${iosTokenBytesMin} to ${iosTokenBytesMax} bytes in hexadecimal`)
  }
  const environment = textIn(values, 'environment') === 'sandbox' ? 'sandbox' : 'production'
  // The same token is sent in both cases; one spelling keeps it one device.
  return found({ kind: 'ios', token: token.toLowerCase(), environment })
}

/** The browser, by the subscription its push service gave it. */
export function readWebDevice({ values }: ReadFields, extraHosts: ExtraHosts): DeviceReading {
  const subscription = objectIn(values, 'subscription')
  if (subscription === null) return NOTHING
  const fields = readFields(SUBSCRIPTION_RULES, subscription, 'subscription.')
  const keys = readFields(KEY_RULES, objectIn(fields.values, 'keys') ?? [], 'subscription.keys.')
  const parts = {
    endpoint: textIn(fields.values, 'endpoint'),
    p256dh: bytesIn(keys, 'p256dh'),
    auth: bytesIn(keys, 'auth'),
  }
  const faults = [
    ...fields.faults,
    ...missingFaults(SUBSCRIPTION_RULES, fields, 'subscription.'),
    ...keys.faults,
    ...(fields.values.has('keys') ? missingFaults(KEY_RULES, keys, 'subscription.keys.') : []),
    ...judge(parts, extraHosts),
  ]
  return { device: deviceOf(parts), faults, warnings: [...fields.warnings, ...keys.warnings] }
}

const NOTHING: DeviceReading = { device: null, faults: [], warnings: [] }
const ANDROID_TOKEN = /^[^\s\p{Cc}]+$/u
const IOS_TOKEN = new RegExp(
  `^(?:[\\da-f]{2}){${SUBSCRIPTION_LIMITS.iosTokenBytesMin},${SUBSCRIPTION_LIMITS.iosTokenBytesMax}}$`,
  'iu',
)
const SUBSCRIPTION_RULES = fieldRules(WEB_SUBSCRIPTION_FIELDS.map((row) => ({ ...row, use: 'required' })))
const KEY_RULES = fieldRules(WEB_KEY_FIELDS.map((row) => ({ ...row, use: 'required' })))

function found(device: Device): DeviceReading {
  return { ...NOTHING, device }
}

function refused(field: string, detail: string): DeviceReading {
  return { ...NOTHING, faults: [fault('field_invalid', field, { detail })] }
}

/** The parts of a browser's subscription that were there; bytes that are no base64 are empty. */
type WebParts = {
  readonly endpoint: string | null
  readonly p256dh: Uint8Array | null
  readonly auth: Uint8Array | null
}

function bytesIn({ values }: ReadFields, name: string): Uint8Array | null {
  const text = textIn(values, name)
  if (text === null) return null
  return BASE64.test(text) ? Buffer.from(text, 'base64url') : new Uint8Array()
}

/** Either alphabet, padded or not: libraries of other systems write both. */
const BASE64 = /^[\w+/-]+={0,2}$/u

function judge({ endpoint, p256dh, auth }: WebParts, extraHosts: ExtraHosts): readonly Fault[] {
  const faults: Fault[] = []
  const flaw = endpoint === null ? null : endpointFlaw(endpoint, extraHosts)
  if (flaw !== null) faults.push(fault('field_invalid', 'subscription.endpoint', { detail: flaw }))
  if (p256dh !== null && !isP256Point(p256dh)) {
    const detail = 'it must be the 65 bytes of a P-256 public key as base64url'
    faults.push(fault('field_invalid', 'subscription.keys.p256dh', { detail }))
  }
  if (auth !== null && auth.length !== SUBSCRIPTION_LIMITS.authBytes) {
    const detail = `it must be ${SUBSCRIPTION_LIMITS.authBytes} bytes as base64url`
    faults.push(fault('field_invalid', 'subscription.keys.auth', { detail }))
  }
  return faults
}

function deviceOf({ endpoint, p256dh, auth }: WebParts): Device | null {
  const url = endpoint === null ? null : URL.parse(endpoint)
  if (url === null || p256dh === null || auth === null) return null
  return { kind: 'web', endpoint: url.href, p256dh: base64url(p256dh), auth: base64url(auth) }
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}
