import { createECDH, createPrivateKey } from 'node:crypto'

/** What a PEM text holds: an RSA key, a key on P-256, some other key, or nothing that can be read as one. */
type PemKind = 'rsa' | 'p256' | 'other' | 'none'

export function pemKind(pem: string): PemKind {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'rsa') return 'rsa'
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'p256' : 'other'
  } catch {
    // The text is a person's input, and the library has no other way to say that it is no key.
    return 'none'
  }
}

/** Both halves of a key pair on P-256 as base64url: the uncompressed point and the number. */
export type P256Pair = { readonly publicKey: string; readonly privateKey: string }

export function makeP256Pair(): P256Pair {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  return { publicKey, privateKey: pair.getPrivateKey('base64url') }
}

/** The public half of a private number; null when it is none. */
export function publicHalf(privateKey: string): string | null {
  const bytes = Buffer.from(privateKey, 'base64url')
  if (bytes.length !== P256_BYTES) return null
  const pair = createECDH('prime256v1')
  try {
    pair.setPrivateKey(bytes)
  } catch {
    // Zero, or beyond the order of the curve: a person's input again.
    return null
  }
  return pair.getPublicKey('base64url')
}

const P256_BYTES = 32
