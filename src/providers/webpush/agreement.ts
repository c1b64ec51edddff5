import { createECDH } from 'node:crypto'

/** The public half of a key pair made for one message, and the secret that it shares with the message's reader. */
export type Agreement = { readonly publicKey: Uint8Array; readonly secret: Uint8Array }

/**
 * Makes a new key pair on the curve P-256 and agrees with the reader's key (65 bytes). Null when that is no point on
 * the curve. What it returns holds until the next call.
 */
export type Agree = (readerKey: Uint8Array) => Agreement | null

/** On node:crypto, which every Node has. It keeps one object, because making that costs more than a new pair in it. */
export function openAgreementOnCrypto(): Agree {
  const keyPair = createECDH('prime256v1')
  return (readerKey) => {
    const publicKey = keyPair.generateKeys()
    try {
      return { publicKey, secret: keyPair.computeSecret(readerKey) }
    } catch {
      // A key from outside is the only thing here that can be wrong.
      return null
    }
  }
}
