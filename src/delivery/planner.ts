import { planZones } from '../domain/push/zones.ts'
import { TooManyDropped } from '../intake/event-files/too-many-dropped.ts'
import { EVENT_FILE_LIMITS, OLD_EVENTS_REASON } from '../rules/event-files.ts'
import type { Loop, LoopContext } from '../runtime/loop/loop.ts'
import { runLoop } from '../runtime/loop/run.ts'
import type { Database } from '../store/db.ts'
import { loadAudienceFilter } from '../store/push/audience.ts'
import { cutChunks, loadZones } from '../store/push/cut.ts'
import { expireChunks } from '../store/push/end-chunks.ts'
import { claimPlans, loadMoment, lockPlan, type PlanClaim, postponePlan } from '../store/push/planning.ts'
import { releaseSends } from '../store/push/release.ts'
import { planTogether } from './plan-together.ts'

/** Releases due notifications by the database's clock: never early, and once each, also after a stop of all processes. */
export async function runPlanner(
  { database }: { readonly database: Database },
  context: LoopContext,
): Promise<void> {
  await Promise.all([
    runLoop(
      sweep({ name: 'release', idle: IDLE, wakeOn: 'plan' }, async () => {
        const released = await releaseSends(database, { rowsMax: ROWS_MAX })
        if (released > 0) database.notify('send')
        return released
      }),
      context,
    ),
    runLoop(
      sweep({ name: 'expire', idle: EXPIRE_IDLE, wakeOn: 'upkeep' }, async () =>
        expireChunks(database, { rowsMax: ROWS_MAX }),
      ),
      context,
    ),
    runLoop(planLoop(database), context),
  ])
}

const ROWS_MAX = 500
const LEASE_MS = 60_000
const CONCURRENCY = 4
/** A schedule may be late by a second. A look costs one probe of an index that is mostly empty. */
const IDLE = { minMs: 20, maxMs: 400 }
/** An expired chunk is never handed over, so that writing its outcomes may take its time. */
const EXPIRE_IDLE = { minMs: 100, maxMs: 2_000 }

/** A loop whose work is done by the statement that finds it, so that `work` and `settle` do nothing. */
function sweep(
  named: Pick<Loop<number, void>, 'name' | 'idle' | 'wakeOn'>,
  run: () => Promise<number>,
): Loop<number, void> {
  return {
    ...named,
    claim: async () => [await run()].filter((rows) => rows > 0),
    work: async () => undefined,
    settle: async () => undefined,
    lease: null,
    concurrency: 1,
  }
}

function planLoop(database: Database): Loop<PlanClaim, void> {
  return {
    name: 'plan',
    claim: async (count) => claimPlans(database, { count, leaseMs: LEASE_MS }),
    work: async (claim) => {
      await planOrPostpone(database, claim)
      database.notify('send')
    },
    settle: async () => undefined,
    // A claim that was not planned in time goes to another worker; `lockPlan` refuses the claim that is too late.
    lease: null,
    concurrency: CONCURRENCY,
    idle: IDLE,
    wakeOn: 'plan',
  }
}

/**
 * This catches the error because a notification that needs too many old events would need them again at each try. It waits longer
 * and longer, and shows its owner why; the others go on.
 */
export async function planOrPostpone(database: Database, claim: PlanClaim): Promise<void> {
  try {
    await planBroadcast(database, claim)
  } catch (cause) {
    if (!(cause instanceof TooManyDropped)) throw cause
    await postponePlan(database, claim, {
      reason: OLD_EVENTS_REASON,
      waitMsMin: EVENT_FILE_LIMITS.oldEventsWaitMsMin,
      waitMsMax: EVENT_FILE_LIMITS.oldEventsWaitMsMax,
    })
  }
}

/** Cuts one due notification into chunks: load, decide, save, in one transaction that locks it. */
export async function planBroadcast(
  database: Database,
  claim: PlanClaim,
  given: { readonly now?: number } = {},
): Promise<void> {
  if (claim.isTogether) return planTogether(database, claim, { leaseMs: LEASE_MS, now: given.now ?? null })
  await database.asEngine(async (tx) => {
    const notification = await lockPlan(tx, claim)
    if (notification === null) return
    const { wall, brandZone, zonesUntil } = notification
    const filter = await loadAudienceFilter(tx, notification)
    const now = given.now ?? (await loadMoment(tx))
    const query = { ...notification, filter }
    if (wall === null) return cutChunks(tx, { ...query, now, step: null })

    const zones = await loadZones(tx, query)
    const step = planZones({ wall, zones, brandZone, doneUntil: zonesUntil, now })
    return cutChunks(tx, { ...query, now, step })
  })
}
