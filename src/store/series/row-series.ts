import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import {
  type SeriesCount,
  type SeriesFilter,
  type SeriesQuery,
  seriesFilterSql,
  seriesPartSql,
} from './reads.ts'

type ReceiptQuery = Pick<SeriesQuery, 'brandId' | 'metrics' | 'edges'> & { readonly notificationId: string }

/** The receipts of one notification by kind and span, counted one by one. */
export async function loadReceiptSeries(tx: Db, query: ReceiptQuery): Promise<readonly SeriesCount[]> {
  const binds = new Binds()
  const { place, within } = spansSql(query.edges, binds)
  const { rows } = await tx.query<SeriesCount>(
    `select kind as metric, ${place} as place, null::text as part, count(*)::bigint as count from receipts
     where brand_id = ${binds.add(query.brandId)} and notification_id = ${binds.add(query.notificationId)}
       and kind = any(${binds.add(query.metrics)}::text[]) and ${within}
     group by 1, 2`,
    binds.values,
  )
  return rows
}

type GoalQuery = Pick<SeriesQuery, 'brandId' | 'edges' | 'group'> &
  SeriesFilter & { readonly notificationId: string | null }

/** The goal events by span and part, counted one by one. */
export async function loadGoalSeries(tx: Db, query: GoalQuery): Promise<readonly SeriesCount[]> {
  const binds = new Binds()
  const { place, within } = spansSql(query.edges, binds)
  const { notificationId } = query
  const ofOne = notificationId === null ? 'true' : `notification_id = ${binds.add(notificationId)}`
  const { rows } = await tx.query<SeriesCount>(
    `select 'goals' as metric, ${place} as place, ${seriesPartSql(query.group)} as part, count(*)::bigint as count
     from conversions
     where brand_id = ${binds.add(query.brandId)} and ${within} and ${ofOne} and ${seriesFilterSql(query, binds)}
     group by 1, 2, 3`,
    binds.values,
  )
  return rows
}

function spansSql(
  edges: readonly number[],
  binds: Binds,
): { readonly place: string; readonly within: string } {
  const dates = edges.map((edge) => new Date(edge))
  const place = `width_bucket(at, ${binds.add(dates)}::timestamptz[])::integer - 1`
  const from = binds.add(dates[0] ?? null)
  const to = binds.add(dates.at(-1) ?? null)
  return { place, within: `at >= ${from}::timestamptz and at < ${to}::timestamptz` }
}
