import type { StoredRun } from '../../domain/series/spans.ts'
import { SERIES_GROUPS, SERIES_MINUTES, type SeriesGroup } from '../../rules/series.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'

export type SeriesFilter = {
  readonly platform: string | null
  readonly campaignId: bigint | null
  readonly journeyId: bigint | null
  readonly step: string | null
  readonly name: string | null
}

export type SeriesQuery = SeriesFilter & {
  readonly brandId: number
  /** Names in the table. */
  readonly metrics: readonly string[]
  /** The beginning of each span, and the end of the last. */
  readonly edges: readonly number[]
  /** The stored spans that are summed up. One without an end is in a place after the last span. */
  readonly runs: readonly StoredRun[]
  readonly group: SeriesGroup | null
}

/** The count of a metric in a span, by the span's place; of one part, when the series is divided. */
export type SeriesCount = {
  readonly metric: string
  readonly place: number
  readonly part: string | null
  readonly count: bigint
}

/** The counts of metrics by span: the sum of the series and of the changes that are not added to them yet. */
export async function loadSeries(tx: Db, query: SeriesQuery): Promise<readonly SeriesCount[]> {
  const binds = new Binds()
  const edges = binds.add(query.edges.map((edge) => new Date(edge)))
  const rows = seriesRowsSql({ ...query, columns: PARTS, where: seriesFilterSql(query, binds) }, binds)
  const { rows: found } = await tx.query<SeriesCount>(
    `select metric, width_bucket(starts_at, ${edges}::timestamptz[])::integer - 1 as place, ${seriesPartSql(query.group)} as part,
       sum(count)::bigint as count
     from (${rows}) as kept group by 1, 2, 3`,
    binds.values,
  )
  return found
}

export type SeriesRows = Pick<SeriesQuery, 'brandId' | 'metrics' | 'runs'> & {
  readonly columns: string
  readonly where: string
}

/**
 * Rows of metrics in runs of stored spans, and the changes of the same time that are not added up yet. `offset 0` keeps
 * a run a look-up in the index.
 */
export function seriesRowsSql({ brandId, metrics, runs, columns, where }: SeriesRows, binds: Binds): string {
  const brand = binds.add(brandId)
  const named = binds.add(metrics)
  const froms = runs.map(({ fromAt }) => new Date(fromAt))
  const tos = runs.map(({ toAt }) => (toAt === null ? 'infinity' : new Date(toAt)))
  const values = [binds.add(runs.map(({ minutes }) => minutes)), binds.add(froms), binds.add(tos)]
  return `select stored.* from unnest(${values[0]}::smallint[], ${values[1]}::timestamptz[], ${values[2]}::timestamptz[])
      as run (minutes, from_at, to_at)
    cross join lateral (
      select metric, starts_at, ${columns}, count from series
      where brand_id = ${brand} and metric = any(${named}::text[]) and minutes = run.minutes
        and starts_at >= run.from_at and starts_at < run.to_at and ${where} offset 0
    ) as stored
    union all
    select metric, at, ${columns}, count from series_changes
    where brand_id = ${brand} and metric = any(${named}::text[]) and at >= ${binds.add(froms[0] ?? null)}::timestamptz
      and at < ${binds.add(tos.at(-1) ?? null)}::timestamptz and ${where}`
}

const PARTS = 'platform, campaign_id, journey_id, step, name'

export function seriesPartSql(group: SeriesGroup | null): string {
  return group === null ? 'null::text' : `${SERIES_GROUPS[group]}::text`
}

export function seriesFilterSql(filter: SeriesFilter, binds: Binds): string {
  const wanted = [
    ['platform', filter.platform],
    ['campaign_id', filter.campaignId],
    ['journey_id', filter.journeyId],
    ['step', filter.step],
    ['name', filter.name],
  ] as const
  const conditions = wanted.flatMap(([column, value]) =>
    value === null ? [] : [`${column} = ${binds.add(value)}`],
  )
  return conditions.length === 0 ? 'true' : conditions.join(' and ')
}

/** The present value of a level, such as live subscriptions, by part. */
export async function loadLevels(
  tx: Db,
  query: Omit<SeriesQuery, 'edges' | 'runs'>,
): Promise<readonly Omit<SeriesCount, 'place'>[]> {
  const binds = new Binds()
  const brand = binds.add(query.brandId)
  const metrics = binds.add(query.metrics)
  const { rows } = await tx.query<Omit<SeriesCount, 'place'>>(
    `select metric, ${seriesPartSql(query.group)} as part, sum(count)::bigint as count
     from (
       select metric, ${PARTS}, count from series
       where brand_id = ${brand} and metric = any(${metrics}::text[]) and minutes = ${SERIES_MINUTES.allTime}::smallint
       union all
       select metric, ${PARTS}, count from series_changes where brand_id = ${brand} and metric = any(${metrics}::text[])
     ) as kept
     where ${seriesFilterSql(query, binds)} group by 1, 2`,
    binds.values,
  )
  return rows
}

export type ActiveDay = { readonly day: string; readonly people: bigint; readonly timeZone: string }

/**
 * The people who were active on days, or in the weeks that begin with them, from the first day to the last, and on the
 * days or in the week around them: where the brand had another zone, people of the asked days were counted there.
 */
export async function loadActiveDays(
  tx: Db,
  query: {
    readonly brandId: number
    readonly span: 'day' | 'week'
    readonly first: string
    readonly last: string
  },
): Promise<readonly ActiveDay[]> {
  const { rows } = await tx.query<ActiveDay>(
    `select to_char(day, 'YYYY-MM-DD') as day, people, time_zone as "timeZone" from active_people
     where brand_id = $1 and span = $2 and day between $3::date - $5::integer and $4::date + $5::integer order by day`,
    [query.brandId, query.span, query.first, query.last, DAYS_AROUND[query.span]],
  )
  return rows
}

/** The clocks of two zones differ by up to 26 hours, so the same moment is at most two days apart. */
const DAYS_AROUND = { day: 2, week: 7 } as const
