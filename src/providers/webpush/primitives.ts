import { createCipheriv, createECDH, createHmac } from 'node:crypto'

/** The parts of web push encryption, each used at least once for every message. */
export type Primitives = {
  /**
   * Makes a new key pair on the curve P-256 for each reader's key (65 bytes), and agrees on a secret with it. Null where that is no
   * point on the curve. It takes `BATCH_MAX` keys at most.
   */
  readonly agree: (readerKeys: readonly Uint8Array[]) => readonly (Agreement | null)[]
  /** HMAC with SHA-256, of the short texts that HKDF has. */
  readonly hmac: (key: Uint8Array, data: Uint8Array) => Buffer
  /** AES-128-GCM: the encrypted bytes, followed by the tag of 16 bytes. */
  readonly seal: (key: Uint8Array, nonce: Uint8Array, data: Uint8Array) => Buffer
}

/** The public half of a key pair made for one message, and the secret that it shares with the message's reader. */
export type Agreement = { readonly publicKey: Uint8Array; readonly secret: Uint8Array }

/** About 6 ms of work: long enough to make the cost of a batch small, short enough to wait for. */
export const BATCH_MAX = 32
export const POINT_BYTES = 65
/** The size of a SHA-256, and of a shared secret on the curve. */
export const HASH_BYTES = 32
/** A record of web push has 4096 bytes at most (RFC 8291). */
export const AES_GCM = { keyBytes: 16, nonceBytes: 12, tagBytes: 16, textMax: 4_096 } as const

/** Primitives on node:crypto, which every Node has. One object is kept, because a new one costs more than a new key pair. */
export function openNodeCrypto(): Primitives {
  const keyPair = createECDH('prime256v1')
  const agree = (readerKey: Uint8Array): Agreement | null => {
    const publicKey = keyPair.generateKeys()
    try {
      return { publicKey, secret: keyPair.computeSecret(readerKey) }
    } catch {
      // A key from outside is the only thing here that can be wrong.
      return null
    }
  }
  return {
    agree: (readerKeys) => readerKeys.map(agree),
    hmac: (key, data) => createHmac('sha256', key).update(data).digest(),
    seal: (key, nonce, data) => {
      const cipher = createCipheriv('aes-128-gcm', key, nonce)
      return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()])
    },
  }
}
