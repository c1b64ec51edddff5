import { parseJson } from '../values/json.ts'

/** A brand's credential for Android, as it is sealed in the store. */
export type AndroidCredential = {
  readonly projectId: string
  readonly clientEmail: string
  readonly privateKeyPem: string
}

export type IosCredential = {
  readonly keyPem: string
  readonly keyId: string
  readonly teamId: string
  readonly bundleId: string
  readonly environment: 'production' | 'sandbox'
}

export type WebCredential = {
  readonly subject: string
  /** The first key is for new subscriptions; an older key is for the subscriptions that were made with it. */
  readonly keys: readonly [VapidPair, ...VapidPair[]]
}

/** Both halves of a key as base64url, and the instant from which browsers subscribe with it. */
export type VapidPair = {
  readonly publicKey: string
  readonly privateKey: string
  readonly since: number
}

/** The sealed text is our own, so that a text which cannot be read is an error, not a rejection. */
export function readAndroidCredential(text: string): AndroidCredential {
  const stored = fieldsOf(parseJson(text))
  return {
    projectId: textOf(stored, 'projectId'),
    clientEmail: textOf(stored, 'clientEmail'),
    privateKeyPem: textOf(stored, 'privateKeyPem'),
  }
}

export function readIosCredential(text: string): IosCredential {
  const stored = fieldsOf(parseJson(text))
  return {
    keyPem: textOf(stored, 'keyPem'),
    keyId: textOf(stored, 'keyId'),
    teamId: textOf(stored, 'teamId'),
    bundleId: textOf(stored, 'bundleId'),
    environment: textOf(stored, 'environment') === 'sandbox' ? 'sandbox' : 'production',
  }
}

export function readWebCredential(text: string): WebCredential {
  const stored = fieldsOf(parseJson(text))
  const [first, ...rest] = Array.isArray(stored['keys']) ? stored['keys'].map(readPair) : []
  if (first === undefined) throw new Error('a stored web credential has no key')
  return { subject: textOf(stored, 'subject'), keys: [first, ...rest] }
}

/**
 * The key of a subscription whose row does not name it. A subscription is bound for life to the key with which it was
 * made, so that it is the key that was in use at that time.
 */
export function vapidKeyAt({ keys }: WebCredential, subscribedAt: number): VapidPair {
  return keys.find(({ since }) => since <= subscribedAt) ?? keys.at(-1) ?? keys[0]
}

function readPair(pair: unknown): VapidPair {
  const stored = fieldsOf(pair)
  const { since } = stored
  return {
    publicKey: textOf(stored, 'publicKey'),
    privateKey: textOf(stored, 'privateKey'),
    since: typeof since === 'number' ? since : 0,
  }
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) throw new Error('a stored credential is no object')
  return { ...value }
}

function textOf(fields: Fields, name: string): string {
  const text = fields[name]
  if (typeof text !== 'string') throw new Error(`a stored credential lacks its ${name}`)
  return text
}
