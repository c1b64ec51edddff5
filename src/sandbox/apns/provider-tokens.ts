import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../../runtime/clock.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import type { Call, CallConnection } from '../call.ts'
import { isSignedBy, type Jwt, parseJwt } from '../jwt.ts'
import type { Problem } from './problem.ts'

/** A signing key that APNs knows: whose it is, and for which apps. */
type ApnsKey = {
  readonly keyId: string
  readonly teamId: string
  readonly publicKey: KeyObject
  readonly topics: ReadonlySet<string>
}

/** Checks the provider tokens of calls. Like APNs, it remembers keys and connections. */
export class ProviderTokens {
  readonly #clock: Clock
  readonly #keys = new Map<string, ApnsKey>()
  /** The newest token seen of each key, by the time it was issued. */
  readonly #newest = new Map<string, { readonly issuedAt: number; readonly seenAt: number }>()
  /** One team per connection, the first one. */
  readonly #teams = new WeakMap<CallConnection, string>()
  readonly #spoilt = new WeakSet<CallConnection>()
  /** Tokens that were verified: verifying is the most costly step, and a sender uses one token for an hour. */
  readonly #verified = new BoundedCache<string, Jwt>({ capacity: VERIFIED_MAX })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(key: Omit<ApnsKey, 'publicKey'> & { readonly publicKey: KeyObject | string }): void {
    const publicKey = typeof key.publicKey === 'string' ? createPublicKey(key.publicKey) : key.publicKey
    this.#keys.set(key.keyId, { ...key, publicKey })
  }

  /** The key behind a call's token, or what is wrong with the token. */
  judge(call: Call): ApnsKey | Problem {
    const [, token] = /^bearer (.+)$/i.exec(call.headers.authorization ?? '') ?? []
    if (token === undefined) return { reason: 'MissingProviderToken' }
    if (this.#spoilt.has(call.connection)) return { reason: 'TooManyProviderTokenUpdates' }
    const jwt = this.#verified.get(token) ?? parseJwt(token)
    const key = this.#keys.get(String(jwt?.header['kid']))
    if (jwt === null || key === undefined) return { reason: 'InvalidProviderToken' }
    if (!this.#isGenuine(token, jwt, key)) return { reason: 'InvalidProviderToken' }
    return this.#ageProblem(jwt, key, call.connection) ?? this.#teamProblem(key, call.connection) ?? key
  }

  #isGenuine(token: string, jwt: Jwt, key: ApnsKey): boolean {
    if (this.#verified.get(token) !== undefined) return true
    const { iss, iat } = jwt.claims
    if (iss !== key.teamId || !Number.isInteger(iat) || !isSignedBy(jwt, 'ES256', key.publicKey)) return false
    this.#verified.set(token, jwt)
    return true
  }

  #ageProblem(jwt: Jwt, key: ApnsKey, connection: CallConnection): Problem | null {
    const now = this.#clock.now()
    const issuedAt = Number(jwt.claims['iat']) * 1000
    if (now - issuedAt > AGE_MAX_MS || issuedAt - now > AHEAD_MAX_MS)
      return { reason: 'ExpiredProviderToken' }
    const newest = this.#newest.get(key.keyId)
    if (newest !== undefined && issuedAt <= newest.issuedAt) return null
    if (newest !== undefined && now - newest.seenAt < RENEWAL_MIN_MS) {
      this.#spoilt.add(connection)
      return { reason: 'TooManyProviderTokenUpdates' }
    }
    this.#newest.set(key.keyId, { issuedAt, seenAt: now })
    return null
  }

  #teamProblem(key: ApnsKey, connection: CallConnection): Problem | null {
    const team = this.#teams.get(connection) ?? key.teamId
    this.#teams.set(connection, team)
    return team === key.teamId ? null : { reason: 'InvalidProviderToken' }
  }
}

const AGE_MAX_MS = 60 * 60_000
const AHEAD_MAX_MS = 5 * 60_000
const RENEWAL_MIN_MS = 20 * 60_000
const VERIFIED_MAX = 1_000
