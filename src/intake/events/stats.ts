import { oneStep } from '../../store/event-files/file-steps.ts'
import { copyHotSql } from '../../store/event-files/hot-csv.ts'
import { hotStatsColumns, statsFilesSql, statsRowOf } from '../../store/event-files/stats-files.ts'
import { loadStats, type StatsQuery, type StatsRow } from '../../store/events/stats.ts'
import { type AskDeps, askFiles, type QuestionWatch } from '../event-files/ask-files.ts'

/** Statistics, from the files of frozen weeks and the rows of all others, or from rows alone. */
export async function askStats(
  deps: AskDeps,
  query: StatsQuery,
  watch: QuestionWatch,
): Promise<readonly StatsRow[]> {
  const rows = await statsOfFiles(deps, query, watch)
  if (rows !== null) return rows
  const asked = { brandId: query.filter.brandId, signal: watch.signal }
  return deps.database.asQuestion(asked, async (tx) => loadStats(tx, query))
}

/** Statistics from files and rows; null if rows alone can answer. */
export async function statsOfFiles(
  deps: AskDeps,
  query: StatsQuery,
  watch: QuestionWatch,
): Promise<readonly StatsRow[] | null> {
  const { brandId, eventName, fromAt, toAt, attribute } = query.filter
  const choice = { brandId, eventName, where: [], people: null, fromAt, toAt, now: 0 } as const
  const rows = await askFiles(deps, {
    ...watch,
    brandId,
    fromAt,
    toAt,
    hot: (view) =>
      copyHotSql(
        { choice, attribute, parts: [], names: null, columns: (binds) => hotStatsColumns(query, binds) },
        view,
      ),
    people: null,
    needs: [],
    cold: (cold) => oneStep(statsFilesSql(query, cold)),
  })
  return rows?.map((cells) => statsRowOf(query.by, cells)) ?? null
}
