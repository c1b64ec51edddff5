import type { IncomingMessage } from 'node:http'
import { withParts } from '../../domain/team/scopes.ts'
import { LIMITS } from '../../rules/limits.ts'
import { TEAM_ROLES } from '../../rules/team.ts'
import { Limiter, type LimiterOptions } from '../../runtime/limits/limiter.ts'
import { findKey, type KeyFacts } from '../../store/brand/api-keys.ts'
import { takeHits } from '../../store/rate-limit.ts'
import { findMembership, type MembershipFacts } from '../../store/team/sessions.ts'
import type { Deps } from '../deps.ts'
import type { OpenRequest } from '../request.ts'
import type { FindKey, FindMember, FoundCaller } from './auth.ts'
import { cacheKeys, cacheMembers } from './key-cache.ts'
import { RateLimiter } from './rate-limit.ts'
import type { RequestRecord } from './request-log.ts'
import type { ServerOptions } from './server-options.ts'

/** The dependencies of the steps between a request's arrival and its handler, one set for each API process. */
export type EdgeDeps = {
  /** The dependencies of the handlers. */
  readonly deps: Deps
  readonly findKey: FindKey
  readonly findMember: FindMember
  /** The same from the database, whatever is cached. */
  readonly findMemberAnew: FindMember
  /** Drops the cached callers, keys and members. */
  readonly forgetKeys: () => void
  readonly rateLimiter: RateLimiter
  readonly bodyBytesMax: number
  readonly bodyTimeoutMs: number
  readonly proxyHops: number
  /** Bytes of bodies that are larger than `LIMITS.bodyBytesMax`. */
  readonly largeBodies: Limiter
  /** Requests of a slow lane (`Route.lane`), by brand and lane: each keeps a database connection busy for long. */
  readonly slowLanes: Limiter
}

/** A request as it stands when its row is known and nothing of its body has been read. */
export type Incoming = Omit<OpenRequest, 'body' | 'network'> & {
  readonly raw: IncomingMessage
  /** Where its caller is noted for the log as soon as it is known. */
  readonly record: RequestRecord
}

export function openEdge(deps: Deps, options: ServerOptions): EdgeDeps {
  const { bodyBytesMax, bodyTimeoutMs, ratePolicies, proxyHops, slowLaneWaitMs } = options
  const { database, clock } = deps
  const cache = { clock, keepMs: LIMITS.keyCacheMs, entriesMax: KEYS_CACHED_MAX }
  const keys = cacheKeys(async (hash) => callerOf(await findKey(database, hash)), cache)
  const members = cacheMembers(
    async (session) => memberCallerOf(await findMembership(database, { ...session, now: clock.now() })),
    cache,
  )
  return {
    deps,
    findKey: keys.find,
    findMember: members.find,
    findMemberAnew: members.findAnew,
    forgetKeys: () => {
      keys.forget()
      members.forget()
    },
    rateLimiter: new RateLimiter(async (request) => takeHits(database, request), ratePolicies),
    bodyBytesMax,
    bodyTimeoutMs,
    proxyHops,
    largeBodies: new Limiter({
      capacity: LIMITS.largeBodiesBytesMax,
      waitersMax: LARGE_BODIES_WAITING_MAX,
      waitMs: LARGE_BODY_WAIT_MS,
    }),
    slowLanes: new Limiter({ ...slowLaneOptions(database.connectionsMax), waitMs: slowLaneWaitMs }),
  }
}

/** The caller that a key makes of a request; null when there is no such key. */
function callerOf(key: KeyFacts | null): FoundCaller | null {
  if (key === null) return null
  const { keyId, kind, ...facts } = key
  return { ...facts, scopes: withParts(facts.scopes), actor: { type: 'key', keyId, kind } }
}

/** The caller that a session makes of a request: a member with the scopes of the role in this brand. */
function memberCallerOf(membership: MembershipFacts | null): FoundCaller | null {
  if (membership === null) return null
  const { sessionId, memberId, confirmedAt, role, ...facts } = membership
  const actor = { type: 'member', memberId, sessionId, role, confirmedAt } as const
  return { ...facts, scopes: withParts(TEAM_ROLES[role].scopes), actor }
}

/** Half of the connections for slow lanes, and half of those for one brand's lane: quick work always finds one. */
function slowLaneOptions(connections: number): Omit<LimiterOptions, 'waitMs'> {
  const capacity = Math.max(1, Math.floor(connections / 2))
  const keyCapacity = Math.max(1, Math.floor(capacity / 2))
  return { capacity, keyCapacity, waitersMax: SLOW_LANE_WAITING_MAX }
}

/** Of one brand's lane. */
const SLOW_LANE_WAITING_MAX = 32

const KEYS_CACHED_MAX = 10_000
/** A body that waits for memory takes only the bytes that its socket has already buffered. */
const LARGE_BODIES_WAITING_MAX = 64
const LARGE_BODY_WAIT_MS = 60_000
