import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Limiter } from '../limits/limiter.ts'

/** The numbers of scrypt: 2 to the power of `log2` blocks, of 128 times `blockSize` bytes each, `rounds` times. */
export type PasswordCost = { readonly log2: number; readonly blockSize: number; readonly rounds: number }

/**
 * Hashes passwords with scrypt, in the threads of Node: the event loop goes on. Each hash takes 32 MiB, so few run at
 * once and a bounded number waits; beyond that `QueueFull` becomes the reply 503. `cost`: only tests make it cheaper.
 */
export class PasswordHasher {
  readonly #cost: PasswordCost
  /** The cost is a part of the name, so that hashes of another cost can be told apart when it changes. */
  readonly #name: string
  readonly #running = new Limiter({ capacity: 2, waitersMax: 100, waitMs: 10_000 })

  constructor(cost: PasswordCost = { log2: 15, blockSize: 8, rounds: 3 }) {
    this.#cost = cost
    this.#name = `scrypt-${cost.log2}-${cost.blockSize}-${cost.rounds}`
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    const key = await this.#derive(password, salt)
    return [this.#name, salt.toString('base64url'), key.toString('base64url')].join('$')
  }

  /** A stored text of another shape matches nothing, after the same work. */
  async matches(password: string, stored: string): Promise<boolean> {
    const [name = '', salt = '', hash = ''] = stored.split('$')
    const wanted = Buffer.from(hash, 'base64url')
    const key = await this.#derive(password, Buffer.from(salt, 'base64url'))
    return name === this.#name && wanted.length === key.length && timingSafeEqual(key, wanted)
  }

  async #derive(password: string, salt: Buffer): Promise<Buffer> {
    const { log2, blockSize: r, rounds: p } = this.#cost
    return this.#running.run({}, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
      // Two spellings of one letter, as keyboards differ in them, are one password.
      const cost = { N: 2 ** log2, r, p, maxmem: MEMORY_BYTES_MAX }
      scrypt(password.normalize('NFKC'), salt, KEY_BYTES, cost, (cause, key) => {
        if (cause === null) resolve(key)
        else reject(cause)
      })
      return promise
    })
  }
}

const MEMORY_BYTES_MAX = 64 * 1024 * 1024
const SALT_BYTES = 16
const KEY_BYTES = 32
