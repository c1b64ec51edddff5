import type { Log } from '../../runtime/log.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import { purgeBrands } from '../../store/brand/purge.ts'
import type { Database } from '../../store/db.ts'

/** The rows deleted in one transaction. That takes about 0.1 s, so locks are short and a killed worker repeats no more. */
const ROWS_MAX = 2_000
/** The brand's own row is deleted last, after the longest time that a transaction from before the deletion can live. */
const QUIET_MS = 5 * 60_000

/** Deletes the rows of deleted brands. The transaction of a worker that dies is rolled back; another worker goes on. */
export async function runBrandPurge(
  { database, log }: { readonly database: Database; readonly log: Log },
  context: LoopContext,
): Promise<void> {
  await runLoop(
    {
      name: 'brand-purge',
      claim: async () => {
        const { removed, gone } = await purgeBrands(database, { rowsMax: ROWS_MAX, quietMs: QUIET_MS })
        if (gone !== null) log.info('nothing is left of a deleted brand', { brand: gone.externalId })
        return removed > 0 ? [removed] : []
      },
      work: async () => undefined,
      settle: async () => undefined,
      lease: null,
      concurrency: 1,
      idle: { minMs: 50, maxMs: 5_000 },
      wakeOn: 'upkeep',
    },
    context,
  )
}
