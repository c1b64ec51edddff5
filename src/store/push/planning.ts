import type { QuietHours } from '../../domain/preferences/quiet-hours.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { PushMode } from '../../rules/push.ts'
import { IS_KEPT } from '../brand/brand-state.ts'
import type { Db } from '../db.ts'
import { type CampaignNarrowing, NARROWING_COLUMNS, type VirtualReach } from './audience-sql.ts'
import { momentOf, NOW } from './chunks.ts'
import { APPLICABLE_QUIET_HOURS } from './quiet-hours.ts'
import { UNHELD } from './sending-hold.ts'

/** A notification that one planner may cut into chunks until its lease ends. `leasedUntil` proves the claim. */
export type PlanClaim = {
  readonly brandId: number
  readonly id: string
  readonly leasedUntil: number
  /** How far its time zones were planned when it was claimed; null without local times, and before the first of them. */
  readonly zonesUntil: number | null
  /** Whether it is planned together with the other platforms of its campaign; `IS_TOGETHER` says when. */
  readonly isTogether: boolean
}

/**
 * Each person gets the notification `n` at their own hour, or on one device only. Either is chosen once for all
 * platforms, before the plan is locked.
 */
export const IS_TOGETHER = '(n.best_hour_until is not null or n.is_latest_only)'

export type PlanClaims = { readonly count: number; readonly leaseMs: number; readonly now?: number }

/**
 * Leases notifications that are due, except pushes to one subscriber, which `releaseSends` takes. If the planner dies,
 * they are due again when the lease ends.
 */
export async function claimPlans(db: Db, { count, leaseMs, now }: PlanClaims): Promise<readonly PlanClaim[]> {
  const limit = Math.trunc(count)
  const text = `with moment (now) as materialized (select coalesce($2::timestamptz, clock_timestamp())
     ), due as (
       select brand_id, id from notifications
       where plan_at <= ${NOW} and (mode <> 'send' or wall is not null) and ${UNHELD}
       order by plan_at limit ${limit} for update skip locked
     )
     update notifications as n
     set plan_at = date_trunc('milliseconds', moment.now + $1 * interval '1 millisecond')
     from due, moment where n.brand_id = due.brand_id and n.id = due.id
     returning n.brand_id as "brandId", n.id, n.plan_at as "leasedUntil",
       n.zones_until as "zonesUntil", ${IS_TOGETHER} as "isTogether"`
  const { rows } = await db.query<PlanClaim>({ name: `claim_plans_${limit}`, text }, [leaseMs, momentOf(now)])
  return rows
}

/** The facts of a notification that is to be cut into chunks. */
export type PlannedNotification = CampaignNarrowing &
  VirtualReach & {
    readonly brandId: number
    readonly id: string
    readonly platform: Platform
    readonly mode: PushMode
    readonly segmentId: bigint | null
    readonly tag: string | null
    readonly wall: string | null
    readonly zonesUntil: number | null
    readonly brandZone: string
    readonly perSecond: number | null
    readonly handOverSeconds: number
    readonly sendAt: number
    readonly bestHourUntil: number | null
    /** The brand's quiet hours, if they hold for this notification; `APPLICABLE_QUIET_HOURS` selects them. */
    readonly quietHours: QuietHours | null
  }

/**
 * A claimed notification, locked until the transaction ends; null if the claim was lost or the notification cancelled
 * meanwhile.
 */
export async function lockPlan(
  tx: Db,
  { brandId, id, leasedUntil }: PlanClaim,
): Promise<PlannedNotification | null> {
  const { rows } = await tx.query<PlannedNotification>(
    `select ${COLUMNS} from ${PLANS} where n.brand_id = $1 and n.id = $2 and n.plan_at = $3 for update of n`,
    [brandId, id, new Date(leasedUntil)],
  )
  return rows[0] ?? null
}

/**
 * The notifications of a campaign that are to be planned together with the claimed one; none if the claim was lost. With
 * `lock` they are locked until the transaction ends.
 */
export async function loadPlansTogether(
  tx: Db,
  { brandId, id, leasedUntil }: PlanClaim,
  lock: 'for update of n' | '' = '',
): Promise<readonly PlannedNotification[]> {
  const { rows } = await tx.query<PlannedNotification & { readonly planAt: number }>(
    `select ${COLUMNS}, n.plan_at as "planAt" from ${PLANS}
     where n.brand_id = $1 and n.plan_at is not null and ${IS_TOGETHER} and not n.is_test
       and n.campaign_id = (select campaign_id from notifications where brand_id = $1 and id = $2)
     order by n.id ${lock}`,
    [brandId, id],
  )
  const isClaimed = rows.some((row) => row.id === id && row.planAt === leasedUntil)
  return isClaimed ? rows : []
}

const COLUMNS = `n.brand_id as "brandId", n.id, n.platform, n.mode, n.segment_id as "segmentId", n.tag, n.wall,
  n.zones_until as "zonesUntil", brands.time_zone as "brandZone", n.per_second as "perSecond",
  n.hand_over_seconds as "handOverSeconds", n.send_at as "sendAt", n.best_hour_until as "bestHourUntil",
  ${APPLICABLE_QUIET_HOURS} as "quietHours", ${NARROWING_COLUMNS}`
/** A brand that can be restored is planned: its chunks wait, and no planner meets the same notification again and again. */
const PLANS = `notifications as n join brands on brands.id = n.brand_id and ${IS_KEPT}`

/** Makes the lease of a plan run from now again; null if it was lost. */
export async function renewPlan(
  db: Db,
  { brandId, id, leasedUntil }: PlanClaim,
  { leaseMs }: { readonly leaseMs: number },
): Promise<number | null> {
  const { rows } = await db.query<{ leasedUntil: number }>(
    `update notifications
     set plan_at = date_trunc('milliseconds', clock_timestamp() + $4 * interval '1 millisecond')
     where brand_id = $1 and id = $2 and plan_at = $3 returning plan_at as "leasedUntil"`,
    [brandId, id, new Date(leasedUntil), leaseMs],
  )
  return rows[0]?.leasedUntil ?? null
}

/**
 * Plans a claimed notification later: after the least time if it waits for this reason for the first time, else after as long a time as
 * has passed since it was due, or since its last time zones were planned, within bounds. Until then it shows the reason. This asks for
 * no lease, because the work may last longer than the lease; another worker may have planned it since, and then nothing is changed. The notifications that are planned together with it come a minute
 * later, so that the next claim is one, and plans or postpones all of them.
 *
 * A notification that has expired is not planned any more. It has failed, unless earlier time zones got it.
 */
export async function postponePlan(
  db: Db,
  { brandId, id, zonesUntil, isTogether }: PlanClaim,
  { reason, waitMsMin, waitMsMax }: PlanPostponement,
): Promise<void> {
  await db.query(
    `with late as materialized (
       select n.brand_id, n.id, n.expires_at <= clock_timestamp() as is_over,
         n.expires_at <= clock_timestamp() and (n.zones_until is null or n.accepted + n.pending = 0) as is_lost,
         case when n.id = $2 then interval '0' else interval '1 minute' end as behind
       from notifications as n
       where n.brand_id = $1 and n.plan_at is not null and n.id in (select $2::uuid ${isTogether ? TOGETHER : ''})
         and (n.id <> $2 or n.zones_until is not distinct from $6)
       order by n.id for update
     )
     update notifications as n set reason = $3,
       plan_at = case when not is_over then clock_timestamp() + behind + greatest($4 * interval '1 millisecond',
         case when reason = $3 then
           least($5 * interval '1 millisecond', clock_timestamp() - greatest(send_at, created_at, zones_until)) end) end,
       state = case when is_lost then 'failed' when is_over and pending = 0 then 'sent' else state end,
       expired = expired + case when is_lost then pending else 0 end,
       pending = case when is_lost then 0 else pending end,
       finished_at = case when is_lost or is_over and pending = 0 then clock_timestamp() end
     from late where n.brand_id = late.brand_id and n.id = late.id`,
    [brandId, id, reason, waitMsMin, waitMsMax, zonesUntil === null ? null : new Date(zonesUntil)],
  )
}

const TOGETHER = `union select n.id from notifications as n
  where n.brand_id = $1 and ${IS_TOGETHER} and not n.is_test
    and n.campaign_id = (select campaign_id from notifications where brand_id = $1 and id = $2)`

type PlanPostponement = {
  readonly reason: string
  readonly waitMsMin: number
  readonly waitMsMax: number
}

/** The time of the database's clock, which decides what is due. */
export async function loadMoment(db: Db): Promise<number> {
  const { rows } = await db.query<{ now: number }>('select clock_timestamp() as now')
  const [row] = rows
  if (row === undefined) throw new Error('the database has no clock')
  return row.now
}
