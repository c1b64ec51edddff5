import { randomBytes } from 'node:crypto'
import { openOpenssl } from './openssl.ts'
import { type Agreement, openNodeCrypto, type Primitives } from './primitives.ts'

/** The keys of a browser's subscription: its public point (65 bytes) and its shared secret (16 bytes). */
type SubscriptionKeys = { readonly p256dh: Uint8Array; readonly auth: Uint8Array }

/** A message to one browser. */
export type PlainMessage = { readonly plaintext: Uint8Array; readonly keys: SubscriptionKeys }

/** The random parts of one message's encryption, which must never be used twice. */
export type Chance = {
  readonly agreement: Agreement
  readonly salt: Uint8Array
}

/** The bytes that encryption adds: a header of 86, a delimiter of 1, a tag of 16 (RFC 8188, RFC 8291). */
export const ENCRYPTION_BYTES = 86 + 1 + 16

/** Encrypts messages for browsers (RFC 8291: aes128gcm in one record), each with a key pair of its own. */
export class PushEncryption {
  readonly #primitives: Primitives
  #salts = randomBytes(SALT_BYTES * SALTS_AT_ONCE)
  #saltsUsed = 0

  constructor(primitives: Primitives) {
    this.#primitives = primitives
  }

  /**
   * Chooses the fastest primitives of this Node. P-256 is nearly the whole cost of a web push, and node:crypto takes twice
   * as long as OpenSSL (decision 0011).
   */
  static async open(): Promise<PushEncryption> {
    return new PushEncryption((await openOpenssl()) ?? openNodeCrypto())
  }

  /** Null where the browser's key is no point on the curve: no message can be encrypted for it. `BATCH_MAX` messages at most. */
  encrypt(messages: readonly PlainMessage[]): readonly (Buffer | null)[] {
    const agreements = this.#primitives.agree(messages.map(({ keys }) => keys.p256dh))
    return messages.map((message, index) => {
      const agreement = agreements[index] ?? null
      const chance = agreement && { agreement, salt: this.#nextSalt() }
      return chance && encryptWith(this.#primitives, { ...message, chance })
    })
  }

  #nextSalt(): Uint8Array {
    if (this.#saltsUsed === SALTS_AT_ONCE) {
      this.#salts = randomBytes(SALT_BYTES * SALTS_AT_ONCE)
      this.#saltsUsed = 0
    }
    const start = this.#saltsUsed * SALT_BYTES
    this.#saltsUsed += 1
    return this.#salts.subarray(start, start + SALT_BYTES)
  }
}

/** Encrypts one message with given random parts, so that a test can check the RFC's example. */
export function encryptWith(
  { hmac, seal }: Pick<Primitives, 'hmac' | 'seal'>,
  { plaintext, keys, chance }: Encryption,
): Buffer {
  const { salt, agreement } = chance
  const { publicKey, secret } = agreement
  const shared = hmac(keys.auth, secret)
  const inputKey = hmac(shared, Buffer.concat([WEB_PUSH_INFO, keys.p256dh, publicKey, ONE]))
  const salted = hmac(salt, inputKey)
  const contentKey = hmac(salted, CONTENT_KEY_INFO).subarray(0, 16)
  const nonce = hmac(salted, NONCE_INFO).subarray(0, 12)
  const sealed = seal(contentKey, nonce, Buffer.concat([plaintext, LAST_RECORD]))
  return Buffer.concat([salt, RECORD_SIZE, KEY_LENGTH, publicKey, sealed])
}

type Encryption = PlainMessage & { readonly chance: Chance }

const SALT_BYTES = 16
/** One call of the random source serves many messages. */
const SALTS_AT_ONCE = 512

/** HKDF (RFC 5869) with outputs of at most one hash is HMAC with a one behind the info. */
const ONE = Buffer.of(1)
const WEB_PUSH_INFO = Buffer.from('WebPush: info\0')
const CONTENT_KEY_INFO = Buffer.from('Content-Encoding: aes128gcm\0\x01')
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0\x01')
const RECORD_SIZE = Buffer.of(0, 0, 0x10, 0)
const KEY_LENGTH = Buffer.of(65)
const LAST_RECORD = Buffer.of(2)
