import type { Clock } from '../../runtime/clock.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import type { Caller } from '../request.ts'
import type { FindKey } from './auth.ts'

type KeyCacheOptions = {
  readonly clock: Clock
  /** Counted from when the question was sent: a revocation may commit while the answer is on its way. */
  readonly keepMs: number
  readonly entriesMax: number
}

type KeyCache = {
  readonly find: FindKey
  /** Every key is looked up again, also keys that are being looked up at this moment. */
  readonly forget: () => void
}

/**
 * Remembers the owner of a key for a moment, and that a key has none. Requests that come together with one key share one
 * question. Wrong keys are kept apart from right keys, so that a flood of guesses cannot push real callers out.
 */
export function cacheKeys(find: FindKey, { clock, keepMs, entriesMax }: KeyCacheOptions): KeyCache {
  const options = { capacity: entriesMax, ttlMs: keepMs, now: clock.now }
  const known = new BoundedCache<string, Caller>(options)
  const unknown = new BoundedCache<string, null>(options)
  /** Questions under way, as many as requests in flight at most. */
  const asked = new Map<string, Promise<Caller | null>>()

  /** A lookup whose key was dropped from the cache meanwhile answers the requests that wait for it, and is not cached. */
  const ask = async (hash: Uint8Array, name: string): Promise<Caller | null> => {
    const askedAt = clock.now()
    const question = find(hash)
    asked.set(name, question)
    try {
      const caller = await question
      if (asked.get(name) !== question) return caller
      if (caller === null) unknown.set(name, caller, askedAt)
      else known.set(name, caller, askedAt)
      return caller
    } finally {
      if (asked.get(name) === question) asked.delete(name)
    }
  }

  const forget = (): void => {
    for (const entries of [known, unknown, asked]) entries.clear()
  }

  const findCached: FindKey = async (hash) => {
    const name = Buffer.from(hash).toString('base64')
    const caller = known.get(name) ?? unknown.get(name)
    if (caller !== undefined) return caller
    return asked.get(name) ?? ask(hash, name)
  }
  return { find: findCached, forget }
}
