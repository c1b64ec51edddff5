import type { Log } from '../../runtime/log.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import { purgeBrands } from '../../store/brand/purge.ts'
import type { Database } from '../../store/db.ts'

/** About a tenth of a second of work, so that nothing is locked for long, and as much to do over after a kill. */
const ROWS_MAX = 2_000
/** No statement may take longer than 30 seconds, nor a transaction rest for as long. */
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
    },
    context,
  )
}
