import { createDecipheriv, hkdfSync } from 'node:crypto'
import type { BrowserKeys } from './subscriptions.ts'

/**
 * Decrypts a message as a browser does (RFC 8291 §4). It was written from the RFC and not from our own encryption, so
 * that each checks the other. Null when it cannot be read: a real browser drops such a message silently.
 */
export function decryptPush(body: Buffer, { keyPair, auth }: BrowserKeys): string | null {
  const salt = body.subarray(0, 16)
  const keyLength = body[20] ?? 0
  const senderKey = body.subarray(21, 21 + keyLength)
  const record = body.subarray(21 + keyLength)
  if (record.length <= TAG_BYTES || body.readUInt32BE(16) < record.length) return null
  try {
    const secret = keyPair.computeSecret(senderKey)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), keyPair.getPublicKey(), senderKey])
    const inputKey = derive(secret, auth, info, 32)
    const contentKey = derive(inputKey, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = derive(inputKey, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
    const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce)
    decipher.setAuthTag(record.subarray(-TAG_BYTES))
    const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()])
    return withoutPadding(padded)
  } catch {
    // The reader cannot tell a wrong key from a changed byte.
    return null
  }
}

const TAG_BYTES = 16

function derive(key: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, bytes))
}

/** The last record ends in a 2 and any number of zeros (RFC 8188 §2). */
function withoutPadding(padded: Buffer): string | null {
  const end = padded.findLastIndex((byte) => byte !== 0)
  return padded[end] === 2 ? padded.subarray(0, end).toString('utf8') : null
}
