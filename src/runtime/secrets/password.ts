import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { Limiter } from '../limits/limiter.ts'

/**
 * Hashes passwords with scrypt, in the threads of Node: the event loop goes on. Each hash takes 32 MiB, so few run at
 * once and a bounded number waits; beyond that `QueueFull` becomes the reply 503.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await derive(password, salt)
  return [NAME, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** A stored text of another shape matches nothing, after the same work. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [name = '', salt = '', hash = ''] = stored.split('$')
  const wanted = Buffer.from(hash, 'base64url')
  const key = await derive(password, Buffer.from(salt, 'base64url'))
  return name === NAME && wanted.length === key.length && timingSafeEqual(key, wanted)
}

/** The cost is a part of the name, so that hashes of another cost can be told apart when it changes. */
const NAME = 'scrypt-15-8-3'
const COST: ScryptOptions = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const SALT_BYTES = 16
const KEY_BYTES = 32

const hashes = new Limiter({ capacity: 2, waitersMax: 100, waitMs: 10_000 })

async function derive(password: string, salt: Buffer): Promise<Buffer> {
  return hashes.run({}, async () => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    // Two spellings of one letter, as keyboards differ in them, are one password.
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, COST, (cause, key) => {
      if (cause === null) resolve(key)
      else reject(cause)
    })
    return promise
  })
}
