import { fault } from '../../domain/fault.ts'
import { flowLines, largestLines, levelLines, type SeriesLine } from '../../domain/series/lines.ts'
import { edgeTexts, storedRuns } from '../../domain/series/spans.ts'
import { readHalf } from '../../domain/team/scopes.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { warning } from '../../domain/warning.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { SERIES_LIMITS, SERIES_METRICS, type SeriesGroup, type SeriesMetric } from '../../rules/series.ts'
import type { Db } from '../../store/db.ts'
import { loadActiveHours } from '../../store/series/active-hours.ts'
import { loadActiveDays, loadLevels, loadSeries, type SeriesCount } from '../../store/series/reads.ts'
import { loadGoalSeries, loadReceiptSeries } from '../../store/series/row-series.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { Caller, TenantRequest } from '../request.ts'
import { parseQuery } from '../schema/schema.ts'
import { type ParsedSeries, parseSeries, SERIES_QUERY } from './query.ts'
import { renderSeries } from './view.ts'

/** GET /api/v1/series */
export async function readSeries(deps: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(SERIES_QUERY, query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { brandId, timeZone: brandZone } = caller
  const wanted = parseSeries(parsed.value.value, { brandZone, now: deps.clock.now() })
  if (!wanted.ok) return refuse(wanted.rejection)
  const lacking = missingScope(caller, wanted.value.metrics)
  if (lacking !== null) return refuse({ faults: [fault('scope_missing', null, { scope: lacking })] })

  const lines = await deps.database.asReader(brandId, async (tx) =>
    loadLines(tx, { ...wanted.value, brandId, brandZone }),
  )
  const max = SERIES_LIMITS.groupsMax
  const shown = wanted.value.group === null ? lines : largestLines(lines, max)
  const cut = shown.length < lines.length ? [warning('groups_cut', 'group', { max: String(max) })] : []
  const warnings = [...parsed.value.warnings, ...cut]
  return replySuccess({ series: renderSeries(wanted.value, shown) }, { processed: shown.length, warnings })
}

/** The first scope that a metric needs and the caller lacks. The read half of a scope is enough. */
function missingScope({ scopes }: Caller, metrics: readonly SeriesMetric[]): string | null {
  const lacking = metrics.find((metric) => {
    const { scope } = SERIES_METRICS[metric]
    return !scopes.includes(scope) && !scopes.some((held) => held === readHalf(scope))
  })
  return lacking === undefined ? null : SERIES_METRICS[lacking].scope
}

type LineQuery = ParsedSeries & { readonly brandId: number; readonly brandZone: string }

async function loadLines(tx: Db, query: LineQuery): Promise<readonly SeriesLine[]> {
  const flows = await loadCounts(tx, query, 'flow')
  const changes = await loadCounts(tx, query, 'level')
  const spans = query.edges.length - 1
  const parts = query.group === null ? [null] : PARTS_SHOWN[query.group]
  const lines: SeriesLine[] = []
  for (const metric of query.metrics) {
    const { kind } = SERIES_METRICS[metric]
    switch (kind) {
      case 'flow':
        lines.push(...flowLines(metric, { spans, counts: flows, parts }))
        break
      case 'level': {
        const present = await loadLevels(tx, { ...query, ...query.filter, metrics: [metric] })
        lines.push(
          ...levelLines(metric, {
            spans,
            counts: changes,
            parts,
            present: present.map((row) => ({ ...row, place: 0 })),
          }),
        )
        break
      }
      case 'people':
        lines.push(await loadActive(tx, metric, query))
        break
      default:
        return unreachable(kind)
    }
  }
  return lines
}

/** Parts that have a line even if nothing happened. */
const PARTS_SHOWN: Readonly<Record<SeriesGroup, readonly string[]>> = {
  platform: PLATFORM_NAMES,
  campaign: [],
  journey: [],
  step: [],
  name: [],
}

async function loadCounts(tx: Db, query: LineQuery, kind: 'flow' | 'level'): Promise<readonly SeriesCount[]> {
  const metrics = query.metrics.flatMap((metric) =>
    SERIES_METRICS[metric].kind === kind ? SERIES_METRICS[metric].stored : [],
  )
  const named = [...new Set<string>(metrics)]
  const goals = named.includes('goals') ? await loadGoalSeries(tx, { ...query, ...query.filter }) : []
  const counted = named.filter((metric) => metric !== 'goals')
  if (counted.length === 0) return goals
  const { notificationId } = query
  const counts =
    notificationId === null
      ? await loadSeries(tx, {
          ...query,
          ...query.filter,
          metrics: counted,
          runs: storedRuns({ ...query, isOpen: kind === 'level' }),
        })
      : await loadReceiptSeries(tx, { ...query, metrics: counted, notificationId })
  return [...goals, ...counts]
}

/** Days and weeks of the brand's own zone are exact; other spans are the nearest that were counted. */
async function loadActive(tx: Db, metric: SeriesMetric, query: LineQuery): Promise<SeriesLine> {
  const { by, brandId, edges, zone, brandZone } = query
  const starts = edges.slice(0, -1)
  if (by === 'day' || by === 'week') {
    const days = edgeTexts(zone, starts).map((text) => text.slice(0, DAY_CHARS))
    const [first = '', last = first] = [days[0], days.at(-1)]
    const rows = await loadActiveDays(tx, { brandId, span: by, first, last })
    const found = new Map(rows.map((row) => [row.day, row]))
    const counts = days.map((day) => found.get(day)?.people ?? 0n)
    const isEstimated = zone !== brandZone || rows.some(({ timeZone }) => timeZone !== zone)
    return { metric, part: null, counts, total: null, isEstimated }
  }
  const hours = await loadActiveHours(tx, {
    brandId,
    fromAt: hourOf(starts[0] ?? 0),
    toAt: edges.at(-1) ?? 0,
  })
  const found = new Map(hours.map(({ startsAt, people }) => [startsAt, people]))
  const counts = starts.map((at) => BigInt(found.get(hourOf(at)) ?? 0))
  return { metric, part: null, counts, total: null, isEstimated: true }
}

const DAY_CHARS = '2026-05-17'.length
const HOUR_MS = 3_600_000

function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS
}
