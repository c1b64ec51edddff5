import assert from 'node:assert/strict'
import { createECDH, type ECDH, randomBytes, type webcrypto } from 'node:crypto'

/** A browser's side of a subscription. */
export type Browser = { readonly keyPair: ECDH; readonly p256dh: Buffer; readonly auth: Buffer }

export function newBrowser(): Browser {
  const keyPair = createECDH('prime256v1')
  return { keyPair, p256dh: keyPair.generateKeys(), auth: randomBytes(16) }
}

/** Reads a message (RFC 8291 §4) with WebCrypto, which shares nothing with the code under test. */
export async function read(
  body: Uint8Array<ArrayBuffer>,
  { keyPair, p256dh, auth }: Browser,
): Promise<string> {
  const keyEnd = 21 + (body[20] ?? 0)
  const [salt, sender, record] = [body.slice(0, 16), body.slice(21, keyEnd), body.slice(keyEnd)]
  const secret = await subtle.deriveBits(
    { name: 'ECDH', public: await subtle.importKey('raw', sender, CURVE, false, []) },
    await importPrivate(keyPair, p256dh),
    256,
  )
  const info = new Uint8Array([...bytesOf('WebPush: info\0'), ...p256dh, ...sender])
  const inputKey = await derive({ key: secret, salt: new Uint8Array(auth), info, bytes: 32 })
  const keyInfo = bytesOf('Content-Encoding: aes128gcm\0')
  const contentKey = await derive({ key: inputKey, salt, info: keyInfo, bytes: 16 })
  const iv = await derive({ key: inputKey, salt, info: bytesOf('Content-Encoding: nonce\0'), bytes: 12 })
  const key = await subtle.importKey('raw', contentKey, 'AES-GCM', false, ['decrypt'])
  const padded = Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv }, key, record))
  assert.equal(padded.at(-1), 2)
  return padded.subarray(0, -1).toString('utf8')
}

const { subtle } = globalThis.crypto
const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const

type Bytes = ArrayBuffer | Uint8Array<ArrayBuffer>

type Derivation = {
  readonly key: Bytes
  readonly salt: Bytes
  readonly info: Bytes
  readonly bytes: number
}

async function derive({ key, salt, info, bytes }: Derivation): Promise<ArrayBuffer> {
  const imported = await subtle.importKey('raw', key, 'HKDF', false, ['deriveBits'])
  return subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, imported, bytes * 8)
}

async function importPrivate(keyPair: ECDH, point: Buffer): Promise<webcrypto.CryptoKey> {
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)]
  const jwk = { kty: 'EC', crv: 'P-256', d: keyPair.getPrivateKey('base64url'), x, y }
  return subtle.importKey('jwk', jwk, CURVE, false, ['deriveBits'])
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
