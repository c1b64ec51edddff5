import type { Db } from './db.ts'
import { purgeEventIds } from './event-ids.ts'
import { purgeBatches } from './event-readers.ts'
import { purgeFrequencyDays } from './frequency.ts'
import { purgeReplies } from './idempotency.ts'
import { purgeTokens } from './provider-tokens.ts'
import { purgeBuckets } from './rate-limit.ts'
import { purgeRejected } from './rejected-entries.ts'
import { purgeSizes } from './segment-sizes.ts'
import { purgeDelivered, purgeOrphans, purgeUndelivered } from './webhook-purge.ts'

/** Everything that goes stale by itself. Each takes at most `rowsMax` rows, so no purge holds a lock for long. */
const PURGES = [
  purgeEventIds,
  purgeRejected,
  purgeBatches,
  purgeReplies,
  purgeBuckets,
  purgeTokens,
  purgeFrequencyDays,
  purgeDelivered,
  purgeUndelivered,
  purgeOrphans,
  purgeSizes,
] as const

/** One round of forgetting, across brands. A round that removed something may have left more behind. */
export async function purgeExpired(
  db: Db,
  bounds: { readonly now: number; readonly rowsMax: number },
): Promise<number> {
  let removed = 0
  for (const purge of PURGES) removed += await purge(db, bounds)
  return removed
}
