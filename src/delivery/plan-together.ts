import { bestHours } from '../domain/campaigns/best-hour.ts'
import { subscriberInstants } from '../domain/push/zones.ts'
import type { Platform } from '../rules/platforms.ts'
import type { Database, Db } from '../store/db.ts'
import { loadAudienceFilter } from '../store/push/audience.ts'
import type { AudienceQuery } from '../store/push/audience-sql.ts'
import { type AudienceDevice, walkAudience } from '../store/push/audience-walk.ts'
import { loadBrandQuarters, walkActivity } from '../store/push/best-hours.ts'
import { cutChunks, type DueList } from '../store/push/cut.ts'
import {
  loadMoment,
  loadPlansTogether,
  type PlanClaim,
  type PlannedNotification,
  renewPlan,
} from '../store/push/planning.ts'

/** Devices that are read at a time. */
const PAGE = 2_000
const RENEW_MS = 20_000

/**
 * Plans a campaign that chooses something for each person, on all platforms together and as of one moment: the hour at
 * which all devices of the person get the message, or the one device that gets it. The devices are read first, in a
 * transaction that writes nothing; the chunks of all platforms, which list them, are saved in another one. After a kill
 * in between nothing is planned, and the next worker begins anew.
 */
export async function planTogether(
  database: Database,
  claim: PlanClaim,
  { leaseMs, now }: { readonly leaseMs: number; readonly now: number | null },
): Promise<void> {
  const lease = new PlanLease(database, claim, leaseMs)
  const lists = await database.asEngine(async (tx) => chooseInstants(tx, lease))
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
type InstantLists = ReadonlyMap<Platform, ReadonlyMap<number, readonly bigint[]>>

/** Null when the claim was lost. */
async function chooseInstants(tx: Db, lease: PlanLease): Promise<InstantLists | null> {
  const plans = await loadPlansTogether(tx, lease.claim)
  const [first] = plans
  if (first === undefined) return null
  const platform = plans.map((plan) => plan.platform)
  const filter = await loadAudienceFilter(tx, first)
  const lists = new Map<Platform, Map<number, bigint[]>>(platform.map((name) => [name, new Map()]))
  const query = { ...first, platform, filter, narrowing: first }
  for await (const page of first.bestHourUntil === null ? walkZones(tx, query) : walkHours(tx, query)) {
    for (const { member, at } of page) {
      const list = lists.get(member.platform)
      const ids = list?.get(at)
      if (ids === undefined) list?.set(at, [member.id])
      else ids.push(member.id)
    }
    if (!(await lease.keep())) return null
  }
  return lists
}

type Timed = { readonly member: Pick<AudienceDevice, 'id' | 'platform'>; readonly at: number }
type TogetherQuery = AudienceQuery & Omit<PlannedNotification, 'platform'>

/** Each person at their own hour. */
async function* walkHours(tx: Db, query: TogetherQuery): AsyncGenerator<readonly Timed[]> {
  const { brandId, brandZone, quietHours, sendAt, bestHourUntil } = query
  const brandQuarters = await loadBrandQuarters(tx, brandId)
  const until = bestHourUntil ?? sendAt
  const choose = bestHours({ from: sendAt, until, brandZone, quietHours, brandQuarters })
  for await (const page of walkActivity(tx, query, PAGE))
    yield page.map((member) => ({ member, at: choose(member).at }))
}

/** Each device at the time of the notification, or at that time on its own clock. */
async function* walkZones(tx: Db, query: TogetherQuery): AsyncGenerator<readonly Timed[]> {
  const { wall, brandZone, sendAt } = query
  const instantIn = wall === null ? () => sendAt : subscriberInstants({ wall, brandZone })
  for await (const page of walkAudience(tx, query, PAGE))
    yield page.map((member) => ({ member, at: instantIn(member.timeZone) }))
}
