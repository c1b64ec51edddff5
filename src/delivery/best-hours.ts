import { bestHours } from '../domain/campaigns/best-hour.ts'
import type { Platform } from '../rules/platforms.ts'
import type { Database, Db } from '../store/db.ts'
import { loadAudienceFilter } from '../store/push/audience.ts'
import { loadBrandQuarters, walkActivity } from '../store/push/best-hours.ts'
import { cutChunks, type DueList } from '../store/push/cut.ts'
import {
  loadMoment,
  loadPlansTogether,
  type PlanClaim,
  type PlannedNotification,
  renewPlan,
} from '../store/push/planning.ts'

/** Devices whose activity is in memory at a time. */
const PAGE = 2_000
const RENEW_MS = 20_000

/**
 * Plans a campaign that each person gets at their own hour, on all platforms together: the hour of every person is
 * chosen once, so that all devices of the person get the message at the same instant. The people are read first, in a
 * transaction that writes nothing; the chunks of all platforms are saved in another one. After a kill in
 * between nothing is planned, and the next worker begins anew.
 */
export async function planBestHours(
  database: Database,
  claim: PlanClaim,
  { leaseMs, now }: { readonly leaseMs: number; readonly now: number | null },
): Promise<void> {
  const lease = new PlanLease(database, claim, leaseMs)
  const lists = await database.asEngine(async (tx) => chooseHours(tx, lease))
  if (lists === null) return
  await database.asEngine(async (tx) => {
    const plans = await loadPlansTogether(tx, lease.claim, 'for update of n')
    const moment = now ?? (await loadMoment(tx))
    for (const plan of plans) {
      const listed = [...(lists.get(plan.platform) ?? [])].filter(([at]) => at > (plan.zonesUntil ?? 0))
      const due = listed.map(([at, ids]): DueList => ({ at, ids: ids.toSorted((a, b) => (a < b ? -1 : 1)) }))
      await cutChunks(tx, { ...plan, filter: null, now: moment, step: null, listed: due })
    }
  })
}

/** The claim of a plan, renewed while the people of a large audience are read. */
class PlanLease {
  readonly #database: Database
  readonly #leaseMs: number
  #claim: PlanClaim
  #renewedAt = performance.now()

  constructor(database: Database, claim: PlanClaim, leaseMs: number) {
    this.#database = database
    this.#claim = claim
    this.#leaseMs = leaseMs
  }

  get claim(): PlanClaim {
    return this.#claim
  }

  /** Renews the claim when it is time; false if it was lost. */
  async keep(): Promise<boolean> {
    if (performance.now() - this.#renewedAt < RENEW_MS) return true
    const leasedUntil = await renewPlan(this.#database, this.#claim, { leaseMs: this.#leaseMs })
    if (leasedUntil === null) return false
    this.#claim = { ...this.#claim, leasedUntil }
    this.#renewedAt = performance.now()
    return true
  }
}

/** The devices of each platform by the instant at which they get the message. */
type HourLists = ReadonlyMap<Platform, ReadonlyMap<number, readonly bigint[]>>

/** Null when the claim was lost. */
async function chooseHours(tx: Db, lease: PlanLease): Promise<HourLists | null> {
  const plans = await loadPlansTogether(tx, lease.claim)
  const [first] = plans
  if (first === undefined) return null
  const choose = await hourChooser(tx, first)
  const filter = await loadAudienceFilter(tx, first)
  const platform = plans.map((plan) => plan.platform)
  const lists = new Map<Platform, Map<number, bigint[]>>(platform.map((name) => [name, new Map()]))
  for await (const page of walkActivity(tx, { ...first, platform, filter, narrowing: first }, PAGE)) {
    for (const member of page) {
      const { at } = choose(member)
      const list = lists.get(member.platform)
      const ids = list?.get(at)
      if (ids === undefined) list?.set(at, [member.id])
      else ids.push(member.id)
    }
    if (!(await lease.keep())) return null
  }
  return lists
}

async function hourChooser(tx: Db, plan: PlannedNotification) {
  const { brandId, brandZone, quietHours, sendAt, bestHourUntil } = plan
  const brandQuarters = await loadBrandQuarters(tx, brandId)
  return bestHours({ from: sendAt, until: bestHourUntil ?? sendAt, brandZone, quietHours, brandQuarters })
}
