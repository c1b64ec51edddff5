import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import { foldResults } from '../../store/campaigns/results.ts'
import type { Database } from '../../store/db.ts'

const CHANGES_MAX = 10_000

/**
 * Adds the changes of results to their counts, about once a second: a reader adds up what is left, so nothing is late.
 * Only a full round is followed by another one at once.
 */
export async function runResultCounts(
  { database }: { readonly database: Database },
  context: LoopContext,
): Promise<void> {
  await runLoop(
    {
      name: 'result-counts',
      claim: async () =>
        [await foldResults(database, CHANGES_MAX)].filter((changes) => changes === CHANGES_MAX),
      work: async () => undefined,
      settle: async () => undefined,
      lease: null,
      concurrency: 1,
      idle: { minMs: 1_000, maxMs: 5_000 },
    },
    context,
  )
}
