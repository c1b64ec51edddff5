import { fault } from '../../domain/fault.ts'
import { LIMITS } from '../../rules/limits.ts'
import type { HitRequest, HitsTaken } from '../../store/rate-limit.ts'
import { type Reply, type ReplyHeaders, refuse } from '../reply.ts'

/** What a row may name as its `rateLimit`: so many requests in any window, per brand and per row. */
export const RATE_POLICIES = {
  push: { requestsMax: LIMITS.pushRequestsMax, windowMs: LIMITS.pushWindowMs },
  visitor: { requestsMax: LIMITS.visitorRequestsMax, windowMs: LIMITS.visitorWindowMs },
  trial: { requestsMax: LIMITS.trialRequestsMax, windowMs: LIMITS.trialWindowMs },
} as const satisfies Record<string, RateBounds>

type RateBounds = { readonly requestsMax: number; readonly windowMs: number }

export type RatePolicy = keyof typeof RATE_POLICIES

/** The bounds a server holds its callers to; only a benchmark brings others. */
export type RatePolicies = Readonly<Partial<Record<RatePolicy, RateBounds>>>

/** One request's place in the window, or none. */
export type Place = RateBounds & {
  readonly policy: RatePolicy
  readonly isGranted: boolean
  readonly remaining: number
  readonly freesInMs: number
}

export type Bucket = { readonly brandId: number; readonly path: string; readonly policy: RatePolicy }

type TakeHits = (request: HitRequest) => Promise<HitsTaken>

type Waiter = { readonly give: (place: Place) => void; readonly fail: (cause: unknown) => void }

/**
 * Asks the store for places. While one question about a bucket is on its way, the requests that come after it
 * wait and ask together, so a busy endpoint costs one round trip at a time and not one per request.
 */
export class RateLimiter {
  readonly #takeHits: TakeHits
  readonly #policies: Readonly<Record<RatePolicy, RateBounds>>
  /** Who waits for the next question, by bucket; a bucket is listed while a question about it is on its way. */
  readonly #lines = new Map<string, Waiter[]>()

  constructor(takeHits: TakeHits, policies: RatePolicies = RATE_POLICIES) {
    this.#takeHits = takeHits
    this.#policies = { ...RATE_POLICIES, ...policies }
  }

  async take(bucket: Bucket): Promise<Place> {
    const { promise, resolve: give, reject: fail } = Promise.withResolvers<Place>()
    const name = `${bucket.brandId} ${bucket.path}`
    const line = this.#lines.get(name)
    if (line === undefined) {
      this.#lines.set(name, [{ give, fail }])
      // It tells everybody in line how it went, so nothing is lost by not waiting for it here.
      void this.#serve(bucket, name)
    } else line.push({ give, fail })
    return promise
  }

  async #serve(bucket: Bucket, name: string): Promise<void> {
    for (let line = this.#lines.get(name) ?? []; line.length > 0; line = this.#lines.get(name) ?? []) {
      this.#lines.set(name, [])
      await this.#askFor(bucket, line)
    }
    this.#lines.delete(name)
  }

  /** First come, first served: those at the front of the line get what was granted. */
  async #askFor({ brandId, path, policy }: Bucket, waiters: readonly Waiter[]): Promise<void> {
    const { requestsMax, windowMs } = this.#policies[policy]
    const request = { brandId, bucket: path, wanted: waiters.length, limit: requestsMax, windowMs }
    try {
      const { granted, remaining, freesInMs } = await this.#takeHits(request)
      waiters.forEach(({ give }, index) => {
        const isGranted = index < granted
        const left = isGranted ? remaining + granted - 1 - index : 0
        give({ policy, requestsMax, windowMs, isGranted, freesInMs, remaining: left })
      })
    } catch (cause) {
      // Passed on to everybody who waits for this answer, each of whom has a request to fail with it.
      for (const { fail } of waiters) fail(cause)
    }
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers. Seconds are rounded up: never invite too early. */
export function rateHeaders(place: Place): ReplyHeaders {
  const { policy, requestsMax, windowMs, remaining, freesInMs } = place
  return {
    'ratelimit-policy': `"${policy}";q=${requestsMax};w=${seconds(windowMs)}`,
    ratelimit: `"${policy}";r=${remaining};t=${seconds(freesInMs)}`,
  }
}

export function refuseRate(place: Place): Reply {
  const words = { max: place.requestsMax, seconds: seconds(place.windowMs) }
  const wait = String(Math.max(1, seconds(place.freesInMs)))
  const headers = { ...rateHeaders(place), 'retry-after': wait }
  return refuse({ faults: [fault('rate_limited', null, words)] }, { headers })
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000)
}
