import { MEASURES } from '../runtime/measures.ts'
import type { Metrics } from '../runtime/metrics.ts'

/** The part of a pool that is measured. */
type CountedPool = {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
  readonly options: { readonly max: number }
}

/**
 * Measures pools, by their names, and gives the meter of a pool's commits. The counts of a pool are in memory, so reading
 * them asks no database.
 */
export function measurePools<Pool extends CountedPool>(
  metrics: Metrics,
  pools: Readonly<Record<string, Pool>>,
): (pool: Pool, tookMs: number) => void {
  const rows = Object.entries(pools)
  metrics.watched(MEASURES.databaseConnections, () =>
    rows.flatMap(([name, pool]) => [
      { labels: { pool: name, state: 'in_use' }, value: pool.totalCount - pool.idleCount },
      { labels: { pool: name, state: 'idle' }, value: pool.idleCount },
    ]),
  )
  metrics.watched(MEASURES.databaseConnectionsMax, () =>
    rows.map(([name, pool]) => ({ labels: { pool: name }, value: pool.options.max })),
  )
  metrics.watched(MEASURES.databaseWaiting, () =>
    rows.map(([name, pool]) => ({ labels: { pool: name }, value: pool.waitingCount })),
  )
  const commit = metrics.histogram(MEASURES.databaseCommitSeconds)
  const names = new Map(rows.map(([name, pool]) => [pool, name]))
  return (pool, tookMs) => commit({ pool: names.get(pool) ?? 'other' }, tookMs / 1_000)
}
