import type { FunnelCell } from '../../domain/events/funnel-answer.ts'
import type { RetentionCell } from '../../domain/events/retention-answer.ts'
import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { Db } from '../../store/db.ts'
import type { ColdRows } from '../../store/event-files/cold-rows.ts'
import { type FileSteps, oneStep } from '../../store/event-files/file-steps.ts'
import {
  funnelCellOf,
  funnelFilesSql,
  funnelNames,
  hotFunnelColumns,
} from '../../store/event-files/funnel-files.ts'
import { copyHotSql, type HotColumns } from '../../store/event-files/hot-csv.ts'
import { PATH_COLUMNS, pathFilesSql, pathsOf } from '../../store/event-files/path-files.ts'
import { copyPeopleSql } from '../../store/event-files/people-csv.ts'
import {
  hotRetentionColumns,
  retentionCellOf,
  retentionEnd,
  retentionFilesSql,
  retentionNames,
} from '../../store/event-files/retention-files.ts'
import { type FunnelQuery, loadFunnel } from '../../store/events/funnel.ts'
import type { EventPart } from '../../store/events/parts.ts'
import { loadPaths, type PathQuery, type Paths } from '../../store/events/paths.ts'
import { loadRetention, type RetentionQuery } from '../../store/events/retention.ts'
import { type AskDeps, askFiles, type QuestionWatch } from '../event-files/ask-files.ts'

/** A funnel, from the files of frozen weeks and the rows of all others, or from rows alone. */
export async function askFunnel(
  deps: AskDeps,
  query: FunnelQuery,
  watch: QuestionWatch,
): Promise<readonly FunnelCell[]> {
  return askWalk(deps, query, watch, {
    endAt: query.toAt + query.withinMs + 1,
    names: funnelNames(query),
    parts: query.parts,
    columns: (binds) => hotFunnelColumns(query, binds),
    cold: (cold) => oneStep(funnelFilesSql(query, cold)),
    ofFiles: (rows) => rows.map(funnelCellOf),
    ofRows: async (tx) => loadFunnel(tx, query),
  })
}

/** A retention, in the same way. */
export async function askRetention(
  deps: AskDeps,
  query: RetentionQuery,
  watch: QuestionWatch,
): Promise<readonly RetentionCell[]> {
  return askWalk(deps, query, watch, {
    endAt: retentionEnd(query),
    names: retentionNames(query),
    parts: query.division?.parts ?? [],
    columns: (binds) => hotRetentionColumns(query, binds),
    cold: (cold) => oneStep(retentionFilesSql(query, cold)),
    ofFiles: (rows) => rows.map(retentionCellOf),
    ofRows: async (tx) => loadRetention(tx, query),
  })
}

/** Paths, in the same way. */
export async function askPaths(deps: AskDeps, query: PathQuery, watch: QuestionWatch): Promise<Paths> {
  return askWalk(deps, query, watch, {
    endAt: query.toAt + query.withinMs + 1,
    names: null,
    parts: [],
    columns: () => PATH_COLUMNS,
    cold: (cold) => oneStep(pathFilesSql(query, cold)),
    ofFiles: pathsOf,
    ofRows: async (tx) => loadPaths(tx, query),
  })
}

/** The ways of people through their events: how files and rows answer together, and how rows answer alone. */
type Walk<Found> = {
  /** The end of the time that is read, after the end of the time in which people start. */
  readonly endAt: number
  /** The names of the events that are read; null for all. */
  readonly names: readonly string[] | null
  readonly parts: readonly EventPart[]
  readonly columns: HotColumns
  readonly cold: (cold: ColdRows) => FileSteps | null
  readonly ofFiles: (rows: readonly (readonly DuckDbCell[])[]) => Found
  readonly ofRows: (tx: Db) => Promise<Found>
}

async function askWalk<Found>(
  deps: AskDeps,
  { brandId, fromAt }: { readonly brandId: number; readonly fromAt: number },
  watch: QuestionWatch,
  { endAt, names, parts, columns, cold, ofFiles, ofRows }: Walk<Found>,
): Promise<Found> {
  const choice = { eventName: null, where: [], people: null, now: 0, brandId, fromAt, toAt: endAt } as const
  const rows = await askFiles(deps, {
    ...choice,
    ...watch,
    hot: (view) => copyHotSql({ choice, attribute: null, parts, names, columns }, view),
    people: copyPeopleSql({ ...choice, parts }),
    needs: [],
    cold,
  })
  if (rows !== null) return ofFiles(rows)
  return deps.database.asQuestion({ brandId, signal: watch.signal }, ofRows)
}
