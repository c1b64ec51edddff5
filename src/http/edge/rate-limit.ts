import { fault } from '../../domain/fault.ts'
import { LIMITS } from '../../rules/limits.ts'
import { GroupCommit } from '../../runtime/limits/group-commit.ts'
import type { HitRequest, HitsTaken } from '../../store/rate-limit.ts'
import { type Reply, type ReplyHeaders, refuse } from '../reply.ts'

/** The values of `Route.rateLimit`: so many requests in any window, for each brand and route. */
export const RATE_POLICIES = {
  push: { requestsMax: LIMITS.pushRequestsMax, windowMs: LIMITS.pushWindowMs },
  visitor: { requestsMax: LIMITS.visitorRequestsMax, windowMs: LIMITS.visitorWindowMs },
  receipt: { requestsMax: LIMITS.receiptRequestsMax, windowMs: LIMITS.receiptWindowMs },
  sign_in: { requestsMax: LIMITS.signInRequestsMax, windowMs: LIMITS.signInWindowMs },
  trial: { requestsMax: LIMITS.trialRequestsMax, windowMs: LIMITS.trialWindowMs },
} as const satisfies Record<string, RateBounds>

type RateBounds = { readonly requestsMax: number; readonly windowMs: number }

export type RatePolicy = keyof typeof RATE_POLICIES

/** The bounds of a server; only a benchmark brings others. */
export type RatePolicies = Readonly<Partial<Record<RatePolicy, RateBounds>>>

/** Whether one request fits in the window, and how much of the window is left. */
type RateDecision = RateBounds & {
  readonly policy: RatePolicy
  readonly isGranted: boolean
  readonly remaining: number
  readonly freesInMs: number
}

/** A window is counted for each of these. */
type RateBucket = { readonly brandId: number; readonly path: string; readonly policy: RatePolicy }

type TakeHits = (request: HitRequest) => Promise<HitsTaken>

/**
 * Asks the store whether requests fit in their window. Requests that come while a question about their bucket is on its
 * way share the next one, so a busy endpoint costs one round trip at a time and not one per request.
 */
export class RateLimiter {
  readonly #takeHits: TakeHits
  readonly #policies: Readonly<Record<RatePolicy, RateBounds>>
  /** Its bound is the bound of requests in flight: each of them asks once. */
  readonly #questions = new GroupCommit<string, RateBucket, RateDecision>({
    commit: async (_, requests) => this.#ask(requests),
    // The store may have counted requests whose answer was lost, so nothing is asked twice.
    isUndone: () => false,
    batchWeightMax: Number.POSITIVE_INFINITY,
    batchesMax: Number.POSITIVE_INFINITY,
    besideWeightsMin: [Number.POSITIVE_INFINITY],
    waitingWeightMax: Number.POSITIVE_INFINITY,
  })

  constructor(takeHits: TakeHits, policies: RatePolicies = RATE_POLICIES) {
    this.#takeHits = takeHits
    this.#policies = { ...RATE_POLICIES, ...policies }
  }

  async take(bucket: RateBucket): Promise<RateDecision> {
    return this.#questions.submit(`${bucket.brandId} ${bucket.path}`, bucket)
  }

  /** Requests share the granted number in the order in which they came. */
  async #ask(requests: readonly RateBucket[]): Promise<readonly RateDecision[]> {
    const [bucket] = requests
    if (bucket === undefined) return []
    const { brandId, path, policy } = bucket
    const { requestsMax, windowMs } = this.#policies[policy]
    const asked = { brandId, bucket: path, wanted: requests.length, limit: requestsMax, windowMs }
    const { granted, remaining, freesInMs } = await this.#takeHits(asked)
    return requests.map((_, at) => {
      const isGranted = at < granted
      const left = isGranted ? remaining + granted - 1 - at : 0
      return { policy, requestsMax, windowMs, isGranted, freesInMs, remaining: left }
    })
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers. Seconds are rounded up, so that no caller comes back too early. */
export function rateHeaders(decision: RateDecision): ReplyHeaders {
  const { policy, requestsMax, windowMs, remaining, freesInMs } = decision
  return {
    'ratelimit-policy': `"${policy}";q=${requestsMax};w=${seconds(windowMs)}`,
    ratelimit: `"${policy}";r=${remaining};t=${seconds(freesInMs)}`,
  }
}

export function refuseRate(decision: RateDecision): Reply {
  const words = { max: decision.requestsMax, seconds: seconds(decision.windowMs) }
  const wait = String(Math.max(1, seconds(decision.freesInMs)))
  const headers = { ...rateHeaders(decision), 'retry-after': wait }
  return refuse({ faults: [fault('rate_limited', null, words)] }, { headers })
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000)
}
