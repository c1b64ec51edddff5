import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { LoopContext } from '../runtime/loop/loop.ts'
import { runLoop } from '../runtime/loop/run.ts'
import type { Sealer } from '../runtime/secrets/sealed.ts'
import { purgeAudit } from '../store/brand/audit.ts'
import { deleteDueBrands } from '../store/brand/deletion.ts'
import { purgeResults } from '../store/campaigns/result-retention.ts'
import type { Database } from '../store/db.ts'
import { purgeExpired } from '../store/purge.ts'
import { purgeNotifications } from '../store/push/notification-retention.ts'
import { resealSecrets } from '../store/secrets.ts'
import { purgeTeam } from '../store/team/purge.ts'

export type HousekeepingDeps = {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
  readonly log: Log
  readonly config: { readonly notificationRetentionDays: number; readonly auditRetentionDays: number }
}

const EVERY_MS = 60_000
const ROWS_MAX = 1_000
const DAY_MS = 86_400_000

/**
 * Forgets what has expired, deletes brands whose grace period is over, and seals anew what an old secret sealed, in small steps. Every worker process does
 * it: a row is removed once, whoever comes first, so there is nothing to lease.
 */
export async function runHousekeeping(deps: HousekeepingDeps, context: LoopContext): Promise<void> {
  const { clock } = deps
  let ranAt = Number.NEGATIVE_INFINITY
  await runLoop(
    {
      name: 'housekeeping',
      // The distance, not the difference: a clock that was set back must not keep us waiting for it.
      claim: async () => (Math.abs(clock.now() - ranAt) >= EVERY_MS ? ['round'] : []),
      work: async () => cleanOnce(deps),
      settle: async (_, changed) => {
        if (changed === 0) ranAt = clock.now()
      },
      lease: null,
      concurrency: 1,
      idle: { minMs: EVERY_MS / 10, maxMs: EVERY_MS },
    },
    context,
  )
}

/** How many rows were removed or sealed anew; 0 means that nothing is left to do. */
async function cleanOnce({ database, clock, sealer, log, config }: HousekeepingDeps): Promise<number> {
  const now = clock.now()
  const removed = await purgeExpired(database, { now, rowsMax: ROWS_MAX })
  const ended = await purgeTeam(database, { now, rowsMax: ROWS_MAX })
  const deleted = await deleteDueBrands(database, { now, limit: ROWS_MAX })
  for (const brand of deleted) log.info('a deleted brand can no longer be restored', { brand })
  const told = await purgeAudit(database, { now, rowsMax: ROWS_MAX, keptDays: config.auditRetentionDays })
  const before = now - config.notificationRetentionDays * DAY_MS
  const forgotten =
    (await purgeNotifications(database, { before, rowsMax: ROWS_MAX })) +
    (await purgeResults(database, { now, before, rowsMax: ROWS_MAX }))
  const resealed = await database.asEngine(async (tx) => resealSecrets(tx, sealer, ROWS_MAX))
  if (resealed > 0) log.info('stored credentials were sealed with the new BECKON_SECRET', { resealed })
  return removed + ended + deleted.length + told + forgotten + resealed
}
