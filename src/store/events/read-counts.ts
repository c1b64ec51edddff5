import type { EventRead, ReadCount } from '../../domain/events/question-cost.ts'
import { SERIES_MINUTES } from '../../rules/series.ts'
import type { Db } from '../db.ts'

/**
 * The number of events of each read, from the series: no event is looked at. A range counts from the beginning of its first hour
 * to the end of its last. Events that are older than series are kept are not counted.
 * Events that happened before the end of the last frozen week count as those in files: few are received long after they happen.
 */
export async function countReads(
  tx: Db,
  { brandId, reads }: { readonly brandId: number; readonly reads: readonly EventRead[] },
): Promise<readonly ReadCount[]> {
  const asked = reads.map(({ names, fromAt, toAt }, place) => ({
    place,
    names,
    from: new Date(fromAt).toISOString(),
    to: new Date(toAt).toISOString(),
  }))
  const { rows } = await tx.query<ReadCount>(
    `with frozen as (
       select to_timestamp((max(end_id) >> 21) / 1000.0) as until from event_files where brand_id = $1
     )
     select coalesce(sum(counted.count), 0)::double precision as count,
       coalesce(sum(counted.count) filter (where starts_at < frozen.until), 0)::double precision as "inFiles"
     from frozen, jsonb_to_recordset($2::jsonb) as read (place integer, names text[], "from" timestamptz, "to" timestamptz)
     left join lateral (
       select count, starts_at from series
       where brand_id = $1 and metric = 'events' and minutes = ${SERIES_MINUTES.hour}
         and starts_at >= date_trunc('hour', read."from") and starts_at < read."to"
         and (read.names is null or name = any(read.names)) offset 0
     ) as counted on true
     group by read.place order by read.place`,
    [brandId, JSON.stringify(asked)],
  )
  return rows
}
