import type { Db } from './db.ts'
import { purgeQuarters } from './events/active-quarters.ts'
import { purgeBatches } from './events/readers.ts'
import { type PurgeBounds, purgeAged } from './purge-aged.ts'
import { purgeFrequencyDays } from './push/frequency.ts'
import { purgeTokens } from './push/provider-tokens.ts'
import { purgeBuckets } from './rate-limit.ts'
import { purgeSizes } from './segments/sizes.ts'
import { purgeActiveHours } from './series/active-hours.ts'
import { purgeActiveWeeks } from './series/active-people.ts'
import { purgeSeries } from './series/folding.ts'
import { purgeDelivered, purgeOrphans, purgeUndelivered } from './webhooks/purge.ts'

const MARK_KEPT_MS = 86_400_000

/** The purges of everything that expires. */
const PURGES = [
  purgeAged,
  purgeBatches,
  purgeBuckets,
  purgeTokens,
  purgeFrequencyDays,
  purgeDelivered,
  purgeUndelivered,
  purgeOrphans,
  purgeSizes,
  purgeSeries,
  purgeActiveWeeks,
  purgeActiveHours,
  purgeQuarters,
  purgeCommitMarks,
] as const

/** A mark is asked for within a minute; a connection that lives longer writes a new one. */
async function purgeCommitMarks(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  const { count } = await db.query(
    `delete from commit_marks where session in
       (select session from commit_marks where marked_at < $1 limit $2 for update skip locked)`,
    [new Date(now - MARK_KEPT_MS), rowsMax],
  )
  return count
}

/** One round of all purges, across brands. After a round that removed something, there may be more. */
export async function purgeExpired(db: Db, bounds: PurgeBounds): Promise<number> {
  let removed = 0
  for (const purge of PURGES) removed += await purge(db, bounds)
  return removed
}
