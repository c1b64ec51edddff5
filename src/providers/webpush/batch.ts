import type { PlainMessage } from './encryption.ts'

/** One message to encrypt: its text, and the subscription's keys as base64url. */
export type EncryptJob = { readonly plaintext: string; readonly p256dh: string; readonly auth: string }

/**
 * Packs many jobs into one buffer, because a buffer goes to another thread without a copy. A thousand small objects would
 * be cloned one by one, which costs more than the threads save.
 */
export function packJobs(jobs: readonly EncryptJob[]): ArrayBuffer {
  const sizes = jobs.map(({ plaintext }) => Buffer.byteLength(plaintext))
  const packed = new ArrayBuffer(sizes.reduce((sum, size) => sum + HEAD_BYTES + size, 0))
  const bytes = Buffer.from(packed)
  let at = 0
  for (const [index, { plaintext, p256dh, auth }] of jobs.entries()) {
    const size = sizes[index] ?? 0
    bytes.writeUInt32BE(size, at)
    bytes.write(p256dh, at + 4, KEY_BYTES, 'base64url')
    bytes.write(auth, at + 4 + KEY_BYTES, AUTH_BYTES, 'base64url')
    bytes.write(plaintext, at + HEAD_BYTES, 'utf8')
    at += HEAD_BYTES + size
  }
  return packed
}

export function* unpackJobs(packed: ArrayBuffer): Generator<PlainMessage> {
  const bytes = Buffer.from(packed)
  for (let at = 0; at < bytes.length; ) {
    const end = at + HEAD_BYTES + bytes.readUInt32BE(at)
    yield {
      keys: {
        p256dh: bytes.subarray(at + 4, at + 4 + KEY_BYTES),
        auth: bytes.subarray(at + 4 + KEY_BYTES, at + HEAD_BYTES),
      },
      plaintext: bytes.subarray(at + HEAD_BYTES, end),
    }
    at = end
  }
}

/** The results travel in the same way; an empty body stands for null. */
export function packBodies(bodies: readonly (Uint8Array | null)[]): ArrayBuffer {
  const packed = new ArrayBuffer(bodies.reduce((sum, body) => sum + 4 + (body?.length ?? 0), 0))
  const bytes = Buffer.from(packed)
  let at = 0
  for (const body of bodies) {
    bytes.writeUInt32BE(body?.length ?? 0, at)
    if (body !== null) bytes.set(body, at + 4)
    at += 4 + (body?.length ?? 0)
  }
  return packed
}

export function* unpackBodies(packed: ArrayBuffer): Generator<Uint8Array | null> {
  const bytes = Buffer.from(packed)
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    yield end === at + 4 ? null : bytes.subarray(at + 4, end)
    at = end
  }
}

const KEY_BYTES = 65
const AUTH_BYTES = 16
const HEAD_BYTES = 4 + KEY_BYTES + AUTH_BYTES
