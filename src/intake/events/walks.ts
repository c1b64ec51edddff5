import type { FunnelCell } from '../../domain/events/funnel-answer.ts'
import type { Database } from '../../store/db.ts'
import {
  funnelCellOf,
  funnelFilesSql,
  funnelNames,
  hotFunnelColumns,
} from '../../store/event-files/funnel-files.ts'
import { copyHotSql } from '../../store/event-files/hot-csv.ts'
import { PATH_COLUMNS, pathFilesSql, pathsOf } from '../../store/event-files/path-files.ts'
import { copyPeopleSql } from '../../store/event-files/people-csv.ts'
import {
  RETENTION_COLUMNS,
  retentionEnd,
  retentionFilesSql,
  retentionNames,
  retentionRowOf,
} from '../../store/event-files/retention-files.ts'
import { type FunnelQuery, loadFunnel } from '../../store/events/funnel.ts'
import { loadPaths, type PathQuery, type Paths } from '../../store/events/paths.ts'
import { loadRetention, type RetentionQuery, type RetentionRow } from '../../store/events/retention.ts'
import { askFiles, type EventFiles } from '../event-files/ask-files.ts'

type WalkDeps = { readonly database: Database; readonly eventFiles: EventFiles | null }

/** A funnel, from the files of frozen weeks and the rows of all others, or from rows alone. */
export async function askFunnel(
  deps: WalkDeps,
  query: FunnelQuery,
  signal: AbortSignal,
): Promise<readonly FunnelCell[]> {
  const { brandId, fromAt } = query
  const toAt = query.toAt + query.withinMs + 1
  const choice = { ...NO_CHOICE, brandId, fromAt, toAt }
  const names = funnelNames(query)
  const rows = await askFiles(deps, {
    ...choice,
    signal,
    hot: (view) =>
      copyHotSql(
        { choice, parts: query.parts, names, columns: (binds) => hotFunnelColumns(query, binds) },
        view,
      ),
    people: copyPeopleSql({ ...choice, parts: query.parts }),
    cold: (cold) => funnelFilesSql(query, cold),
  })
  if (rows !== null) return rows.map(funnelCellOf)
  return deps.database.asQuestion({ brandId, signal }, async (tx) => loadFunnel(tx, query))
}

/** A retention, in the same way. */
export async function askRetention(
  deps: WalkDeps,
  query: RetentionQuery,
  signal: AbortSignal,
): Promise<readonly RetentionRow[]> {
  const { brandId, fromAt } = query
  const choice = { ...NO_CHOICE, brandId, fromAt, toAt: retentionEnd(query) }
  const names = retentionNames(query)
  const rows = await askFiles(deps, {
    ...choice,
    signal,
    hot: (view) => copyHotSql({ choice, parts: [], names, columns: () => RETENTION_COLUMNS }, view),
    people: null,
    cold: (cold) => retentionFilesSql(query, cold),
  })
  if (rows !== null) return rows.map(retentionRowOf)
  return deps.database.asQuestion({ brandId, signal }, async (tx) => loadRetention(tx, query))
}

/** Paths, in the same way. */
export async function askPaths(deps: WalkDeps, query: PathQuery, signal: AbortSignal): Promise<Paths> {
  const { brandId, fromAt } = query
  const choice = { ...NO_CHOICE, brandId, fromAt, toAt: query.toAt + query.withinMs + 1 }
  const rows = await askFiles(deps, {
    ...choice,
    signal,
    hot: (view) => copyHotSql({ choice, parts: [], names: null, columns: () => PATH_COLUMNS }, view),
    people: null,
    cold: (cold) => pathFilesSql(query, cold),
  })
  if (rows !== null) return pathsOf(rows)
  return deps.database.asQuestion({ brandId, signal }, async (tx) => loadPaths(tx, query))
}

/** All events: the names, if there are any, stand beside the choice. */
const NO_CHOICE = { eventName: null, where: [], people: null, now: 0 } as const
