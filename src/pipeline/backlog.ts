import type { LoopContext } from '../runtime/loop/loop.ts'
import { watch } from '../runtime/loop/watch.ts'
import { MEASURES } from '../runtime/measures.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { loadBacklog } from '../store/backlog.ts'
import type { Database } from '../store/db.ts'

export type BacklogDeps = { readonly database: Database; readonly metrics: Metrics }

/**
 * Keeps the metrics of the backlog, of all brands together. A loop reads them every few seconds, so `/metrics` answers
 * from memory, however slow or far away the database is; `backlogRead` tells how old the figures are.
 */
export async function runBacklog({ database, metrics }: BacklogDeps, context: LoopContext): Promise<void> {
  const waiting = metrics.gauge(MEASURES.backlog)
  const oldest = metrics.gauge(MEASURES.backlogOldest)
  const read = metrics.gauge(MEASURES.backlogRead)
  const look = async (): Promise<void> => {
    const { readAt, lanes } = await loadBacklog(database.queue)
    for (const { lane, count, oldestMs } of lanes) {
      waiting({ lane }, count)
      if (oldestMs !== null) oldest({ lane }, oldestMs / 1_000)
    }
    read({}, readAt / 1_000)
  }
  await watch({ name: 'watch-backlog' }, look, context)
}
