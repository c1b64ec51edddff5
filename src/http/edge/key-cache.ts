import type { Clock } from '../../runtime/clock.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import type { FindKey, FindMember, FoundCaller, MemberCredential } from './auth.ts'

type KeyCacheOptions = {
  readonly clock: Clock
  /** Counted from when the question was sent: a revocation may commit while the answer is on its way. */
  readonly keepMs: number
  readonly entriesMax: number
}

type CallerCache<Credential> = {
  readonly find: (credential: Credential) => Promise<FoundCaller | null>
  /** Looks one caller up now, whatever is cached, and caches the answer. */
  readonly findAnew: (credential: Credential) => Promise<FoundCaller | null>
  /** Every caller is looked up again, also those that are being looked up at this moment. */
  readonly forget: () => void
}

/** Remembers the owner of a key, by its hash. */
export function cacheKeys(find: FindKey, options: KeyCacheOptions): CallerCache<Uint8Array> {
  return cacheCallers({ find, nameOf: (hash) => Buffer.from(hash).toString('base64') }, options)
}

/** Remembers the member of a session, in one brand. */
export function cacheMembers(find: FindMember, options: KeyCacheOptions): CallerCache<MemberCredential> {
  return cacheCallers({ find, nameOf: ({ hash, brand }) => `${hash} ${brand}` }, options)
}

type Lookup<Credential> = {
  readonly find: (credential: Credential) => Promise<FoundCaller | null>
  readonly nameOf: (credential: Credential) => string
}

/**
 * Remembers the caller of a credential for a moment, and that it has none. Requests that come together with one share one
 * question. Wrong credentials are kept apart from right ones, so that a flood of guesses cannot push real callers out.
 */
function cacheCallers<Credential>(
  { find, nameOf }: Lookup<Credential>,
  { clock, keepMs, entriesMax }: KeyCacheOptions,
): CallerCache<Credential> {
  const options = { capacity: entriesMax, ttlMs: keepMs, now: clock.now }
  const known = new BoundedCache<string, FoundCaller>(options)
  const unknown = new BoundedCache<string, null>(options)
  /** Questions under way, as many as requests in flight at most. */
  const asked = new Map<string, Promise<FoundCaller | null>>()

  /** A lookup whose key was dropped from the cache meanwhile answers the requests that wait for it, and is not cached. */
  const ask = async (credential: Credential, name: string): Promise<FoundCaller | null> => {
    const askedAt = clock.now()
    const question = find(credential)
    asked.set(name, question)
    try {
      const caller = await question
      if (asked.get(name) !== question) return caller
      known.delete(name)
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

  const findCached = async (credential: Credential): Promise<FoundCaller | null> => {
    const name = nameOf(credential)
    const caller = known.get(name) ?? unknown.get(name)
    if (caller !== undefined) return caller
    return asked.get(name) ?? ask(credential, name)
  }
  const findAnew = async (credential: Credential): Promise<FoundCaller | null> =>
    ask(credential, nameOf(credential))
  return { find: findCached, findAnew, forget }
}
