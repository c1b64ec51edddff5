import type { Journey } from '../../domain/journeys/plan.ts'
import { readStoredJourney, type StoredPlan } from '../../domain/journeys/stored-journey.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import type { Log } from '../../runtime/log.ts'
import type { Db } from '../db.ts'

export type PlanRef = { readonly journeyId: bigint; readonly version: number }

type VersionRow = PlanRef & StoredPlan

/** The plan of a version; null when its document cannot be read. */
type PlanOf = (ref: PlanRef) => Journey | null

const PLANS_MAX = 1_000
/** How often a journey that cannot be read is looked at again; it may have been repaired. */
export const UNREADABLE_EVERY_MS = 3_600_000

type KeptPlan = { readonly plan: Journey | null; readonly until: number }

/**
 * Loads stored journeys as plans. A version never changes, so its plan is cached. A version that cannot be read is
 * logged and its people stay at their step, so that no other journey waits for it.
 */
export class JourneyPlans {
  readonly #plans = new BoundedCache<string, KeptPlan>({ capacity: PLANS_MAX })
  readonly #log: Log
  readonly #elapsed: () => number

  constructor(log: Log, elapsed: () => number = () => performance.now()) {
    this.#log = log
    this.#elapsed = elapsed
  }

  async load(db: Db, brandId: number, refs: readonly PlanRef[]): Promise<PlanOf> {
    const keyOf = ({ journeyId, version }: PlanRef): string => `${brandId}/${journeyId}/${version}`
    const wanted = new Map(refs.map((ref) => [keyOf(ref), ref]))
    const now = this.#elapsed()
    const found = new Map<string, Journey | null>()
    for (const key of wanted.keys()) {
      const kept = this.#plans.get(key)
      if (kept !== undefined && kept.until > now) found.set(key, kept.plan)
    }
    const missing = [...wanted].filter(([key]) => !found.has(key))
    const rows =
      missing.length === 0
        ? []
        : await loadVersions(
            db,
            brandId,
            missing.map(([, ref]) => ref),
          )
    const stored = new Map(rows.map((row) => [keyOf(row), row]))
    for (const [key, ref] of missing) {
      const plan = this.#read(brandId, ref, stored.get(key))
      this.#plans.set(key, {
        plan,
        until: plan === null ? now + UNREADABLE_EVERY_MS : Number.POSITIVE_INFINITY,
      })
      found.set(key, plan)
    }
    return (ref) => found.get(keyOf(ref)) ?? null
  }

  #read(brandId: number, { journeyId, version }: PlanRef, row: VersionRow | undefined): Journey | null {
    const journey = row === undefined ? null : readStoredJourney(row)
    if (journey?.ok) return journey.value
    const where = journey === null ? 'it is not stored' : journey.rejection.faults.map(({ field }) => field)
    this.#log.error('a journey cannot be read and stands still', { brandId, journeyId, version, where })
    return null
  }
}

async function loadVersions(
  db: Db,
  brandId: number,
  refs: readonly PlanRef[],
): Promise<readonly VersionRow[]> {
  const { rows } = await db.query<VersionRow>(
    `select v.journey_id as "journeyId", v.version, v.document, v.messages
     from unnest($2::bigint[], $3::integer[]) as wanted (journey_id, version)
     join journey_versions as v
       on v.brand_id = $1 and v.journey_id = wanted.journey_id and v.version = wanted.version`,
    [brandId, refs.map(({ journeyId }) => journeyId), refs.map(({ version }) => version)],
  )
  return rows
}
