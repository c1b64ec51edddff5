import type { Clock } from '../../runtime/clock.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import { foldTags } from '../../store/catalogue/tags.ts'
import type { Database } from '../../store/db.ts'
import { foldSeries, hasChanges } from '../../store/series/folding.ts'

export type SeriesDeps = { readonly database: Database; readonly clock: Clock }

const ROWS_MAX = 5_000
const EVERY_MS = 2_000
const IDLE_EVERY_MS = 10_000

/**
 * Adds the changes of series to the series, and those of tags to their counts, in small steps. A read sums up both, so
 * nobody waits for the next step; a step that comes later has more to sum up and less to write. After a step that found
 * nothing the next one comes later.
 */
export async function runSeries({ database, clock }: SeriesDeps, context: LoopContext): Promise<void> {
  let ranAt = Number.NEGATIVE_INFINITY
  let everyMs = EVERY_MS
  await runLoop(
    {
      name: 'series',
      // The distance, not the difference: a clock that was set back must not keep the changes waiting.
      claim: async () => (Math.abs(clock.now() - ranAt) >= everyMs ? ['step'] : []),
      work: async () => {
        if (!(await hasChanges(database.queue))) return 0
        const folded = await foldSeries(database, ROWS_MAX)
        return Math.max(folded, await foldTags(database, ROWS_MAX))
      },
      settle: async (_, folded) => {
        everyMs = folded === 0 ? IDLE_EVERY_MS : EVERY_MS
        if (folded < ROWS_MAX) ranAt = clock.now()
      },
      lease: null,
      concurrency: 1,
      idle: { minMs: EVERY_MS / 4, maxMs: EVERY_MS },
    },
    context,
  )
}
