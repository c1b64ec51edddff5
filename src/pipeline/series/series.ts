import type { Clock } from '../../runtime/clock.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import type { Database } from '../../store/db.ts'
import { foldSeries } from '../../store/series/folding.ts'

export type SeriesDeps = { readonly database: Database; readonly clock: Clock }

const ROWS_MAX = 5_000
const EVERY_MS = 2_000

/**
 * Adds the changes of series to the series, in small steps. A read sums up both, so nobody waits for the next step; a
 * step that comes later has more to sum up and less to write.
 */
export async function runSeries({ database, clock }: SeriesDeps, context: LoopContext): Promise<void> {
  let ranAt = Number.NEGATIVE_INFINITY
  await runLoop(
    {
      name: 'series',
      // The distance, not the difference: a clock that was set back must not keep the changes waiting.
      claim: async () => (Math.abs(clock.now() - ranAt) >= EVERY_MS ? ['step'] : []),
      work: async () => foldSeries(database, ROWS_MAX),
      settle: async (_, folded) => {
        if (folded < ROWS_MAX) ranAt = clock.now()
      },
      lease: null,
      concurrency: 1,
      idle: { minMs: EVERY_MS / 4, maxMs: EVERY_MS },
    },
    context,
  )
}
