import { createECDH, createHash, createHmac, type ECDH, randomBytes } from 'node:crypto'

/** A browser's subscription, as its `toJSON` gives it. */
export type WebSubscription = {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** A subscription, as its push service and its browser know it. */
export type Subscriber = {
  /** The keys of the browser. The push service does not need them, and making them takes a multiplication on the curve. */
  readonly openKeys: () => BrowserKeys
  /** The start of the hash of the VAPID key that the subscription is bound to; zeros for none. */
  readonly boundTo: Buffer
}

export type BrowserKeys = { readonly keyPair: ECDH; readonly auth: Buffer }

/**
 * Subscriptions without storage: an id contains its own proof, and the keys follow from the id and the seed. A million
 * subscriptions need no memory, and with the same seed they work after a restart.
 */
export class Subscriptions {
  readonly #seed: Buffer

  constructor(seed: Buffer) {
    this.#seed = seed
  }

  make(origin: string, vapidKey: string | null): WebSubscription {
    const boundTo = vapidKey === null ? Buffer.alloc(BOUND_BYTES) : boundHash(vapidKey)
    const start = Buffer.concat([randomBytes(RANDOM_BYTES), boundTo])
    const id = Buffer.concat([start, this.#derive('proof', start).subarray(0, PROOF_BYTES)]).toString(
      'base64url',
    )
    const { keyPair, auth } = this.#openKeys(id)
    const keys = { p256dh: keyPair.getPublicKey('base64url'), auth: auth.toString('base64url') }
    return { endpoint: `${origin}${ENDPOINT_PATH}${id}`, keys }
  }

  /** Null for an id that was not made with this seed. */
  find(id: string): Subscriber | null {
    const bytes = Buffer.from(id, 'base64url')
    const start = bytes.subarray(0, RANDOM_BYTES + BOUND_BYTES)
    const proof = this.#derive('proof', start).subarray(0, PROOF_BYTES)
    if (!bytes.subarray(RANDOM_BYTES + BOUND_BYTES).equals(proof)) return null
    return { openKeys: () => this.#openKeys(id), boundTo: start.subarray(RANDOM_BYTES) }
  }

  #openKeys(id: string): BrowserKeys {
    const keyPair = createECDH('prime256v1')
    keyPair.setPrivateKey(this.#derive('key', id))
    return { keyPair, auth: this.#derive('auth', id).subarray(0, 16) }
  }

  #derive(purpose: string, from: string | Buffer): Buffer {
    return createHmac('sha256', this.#seed).update(purpose).update(from).digest()
  }
}

export const ENDPOINT_PATH = '/wpush/v2/'

/** Whether a VAPID key is the one that a subscription was made with. */
export function isBoundTo({ boundTo }: Subscriber, vapidKey: string): boolean {
  return boundTo.every((byte) => byte === 0) || boundTo.equals(boundHash(vapidKey))
}

const RANDOM_BYTES = 16
const BOUND_BYTES = 8
const PROOF_BYTES = 8

function boundHash(vapidKey: string): Buffer {
  return createHash('sha256').update(vapidKey).digest().subarray(0, BOUND_BYTES)
}
