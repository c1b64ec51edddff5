import { createECDH, createPrivateKey } from 'node:crypto'

/** The kind of key in a PEM text: RSA, P-256, another kind, or none that can be read. */
type PemKind = 'rsa' | 'p256' | 'other' | 'none'

export function pemKind(pem: string): PemKind {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'rsa') return 'rsa'
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'p256' : 'other'
  } catch {
    // The text is a person's input, and the library throws when it is no key.
    return 'none'
  }
}

/** A P-256 key pair as base64url: the public key is the uncompressed point, the private key the number. */
export type P256Pair = { readonly publicKey: string; readonly privateKey: string }

export function makeP256Pair(): P256Pair {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  return { publicKey, privateKey: pair.getPrivateKey('base64url') }
}

/** The public key of a private number; null when the number is not a private key. */
export function publicHalf(privateKey: string): string | null {
  const bytes = Buffer.from(privateKey, 'base64url')
  if (bytes.length !== P256_BYTES) return null
  const pair = createECDH('prime256v1')
  try {
    pair.setPrivateKey(bytes)
  } catch {
    // Zero, or beyond the order of the curve, in a person's input.
    return null
  }
  return pair.getPublicKey('base64url')
}

const P256_BYTES = 32
