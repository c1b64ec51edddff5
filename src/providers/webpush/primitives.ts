import { createCipheriv, createECDH, createHmac } from 'node:crypto'

/** The parts of web push encryption, each used at least once for every message. */
export type Primitives = {
  /**
   * Makes a new key pair on the curve P-256 and agrees on a secret with the reader's key (65 bytes). Null when that is no
   * point on the curve. The result is valid until the next call.
   */
  readonly agree: (readerKey: Uint8Array) => Agreement | null
  /** HMAC with SHA-256. */
  readonly hmac: (key: Uint8Array, data: Uint8Array) => Buffer
  /** AES-128-GCM: the encrypted bytes, followed by the tag of 16 bytes. */
  readonly seal: (key: Uint8Array, nonce: Uint8Array, data: Uint8Array) => Buffer
}

/** The public half of a key pair made for one message, and the secret that it shares with the message's reader. */
export type Agreement = { readonly publicKey: Uint8Array; readonly secret: Uint8Array }

/** Primitives on node:crypto, which every Node has. One object is kept, because a new one costs more than a new key pair. */
export function openNodeCrypto(): Primitives {
  const keyPair = createECDH('prime256v1')
  return {
    agree: (readerKey) => {
      const publicKey = keyPair.generateKeys()
      try {
        return { publicKey, secret: keyPair.computeSecret(readerKey) }
      } catch {
        // A key from outside is the only thing here that can be wrong.
        return null
      }
    },
    hmac: (key, data) => createHmac('sha256', key).update(data).digest(),
    seal: (key, nonce, data) => {
      const cipher = createCipheriv('aes-128-gcm', key, nonce)
      return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()])
    },
  }
}
