import type { IncomingMessage } from 'node:http'
import { LIMITS } from '../../rules/limits.ts'
import { Budget } from '../../runtime/limits/budget.ts'
import { Turnstile, type TurnstileOptions } from '../../runtime/limits/turnstile.ts'
import { findKey } from '../../store/brand/api-keys.ts'
import { takeHits } from '../../store/rate-limit.ts'
import type { Deps } from '../deps.ts'
import type { OpenRequest } from '../request.ts'
import type { FindKey } from './auth.ts'
import { cacheKeys } from './key-cache.ts'
import { RateLimiter } from './rate-limit.ts'
import type { ServerOptions } from './server-options.ts'

/** What every request passes on its way to a handler. */
export type Gate = {
  readonly deps: Deps
  readonly findKey: FindKey
  readonly forgetKeys: () => void
  readonly limiter: RateLimiter
  readonly bodyBytesMax: number
  readonly bodyTimeoutMs: number
  readonly proxyHops: number
  readonly largeBodies: Budget
  /** What asks much of the database goes through here. */
  readonly longWork: Turnstile
}

/** A request as it stands when its row is known and nothing of its body has been read. */
export type Incoming = Omit<OpenRequest, 'body'> & { readonly raw: IncomingMessage }

export function openGate(deps: Deps, options: ServerOptions): Gate {
  const { bodyBytesMax, bodyTimeoutMs, ratePolicies, proxyHops } = options
  const { database, clock } = deps
  const cache = { clock, keepMs: LIMITS.keyCacheMs, entriesMax: KEYS_CACHED_MAX }
  const keys = cacheKeys(async (hash) => findKey(database, hash), cache)
  return {
    deps,
    findKey: keys.find,
    forgetKeys: keys.forget,
    limiter: new RateLimiter(async (request) => takeHits(database, request), ratePolicies),
    bodyBytesMax,
    bodyTimeoutMs,
    proxyHops,
    largeBodies: new Budget({
      amountMax: LIMITS.largeBodiesBytesMax,
      waitersMax: LARGE_BODIES_WAITING_MAX,
      waitMs: LARGE_BODY_WAIT_MS,
    }),
    longWork: new Turnstile(placesOf(database.connectionsMax)),
  }
}

/** Half of the connections for what may take long, and half of those for one brand: quick work always finds one. */
function placesOf(connections: number): TurnstileOptions {
  const placesMax = Math.max(1, Math.floor(connections / 2))
  const placesOfOneMax = Math.max(1, Math.floor(placesMax / 2))
  return { placesMax, placesOfOneMax, waitersMax: LONG_WAITING_MAX, waitMs: LONG_WAIT_MS }
}

/** Of one brand; and how long each of them waits before it is told to come back. */
const LONG_WAITING_MAX = 32
const LONG_WAIT_MS = 10_000

const KEYS_CACHED_MAX = 10_000
/** Each of them holds what its socket has taken in, and nothing more. */
const LARGE_BODIES_WAITING_MAX = 64
const LARGE_BODY_WAIT_MS = 60_000
