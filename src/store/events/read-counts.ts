import type { EventRead, ReadCount } from '../../domain/events/question-cost.ts'
import { SERIES_LIMITS, SERIES_MINUTES } from '../../rules/series.ts'
import type { Db } from '../db.ts'

type Counting = { readonly brandId: number; readonly reads: readonly EventRead[]; readonly now: number }

/**
 * The number of events of each read, without a look at an event. Series count a range from the beginning of its first hour to the end of
 * its last. Events that happened before the end of the last frozen week count as those in files: few are received long after they happen.
 * Events older than series are kept are counted by the list of files: those of a file are taken to be spread evenly over its time, and a
 * name to have the same share of them as of all events that were ever counted.
 */
export async function countReads(tx: Db, { brandId, reads, now }: Counting): Promise<readonly ReadCount[]> {
  const asked = reads.map(({ names, fromAt, toAt }, place) => ({
    place,
    names,
    from: new Date(fromAt).toISOString(),
    to: new Date(toAt).toISOString(),
  }))
  const { rows } = await tx.query<ReadCount>(
    `with frozen as (
       select max(${receivedSql('end_id')}) as until, max(${receivedSql('end_id')}) filter (where is_alone) as alone_until
       from event_files where brand_id = $1
     ), old_file as materialized (
       select events, is_alone, greatest_event_at + interval '1 second' as ends_at,
         case when greatest_event_at > ${receivedSql('first_id')} then greatest(least_event_at, ${receivedSql('first_id')})
           else least_event_at end as starts_at
       from event_files where brand_id = $1 and least_event_at < $3
     )
     select round(counted.count + old.count * named.share)::double precision as count,
       round(counted.filed + old.count * named.share)::double precision as "inFiles",
       round(counted.alone + old.alone * named.share)::double precision as alone
     from frozen, jsonb_to_recordset($2::jsonb) as read (place integer, names text[], "from" timestamptz, "to" timestamptz),
     lateral (
       select coalesce(sum(count), 0) as count, coalesce(sum(count) filter (where starts_at < frozen.until), 0) as filed,
         coalesce(sum(count) filter (where starts_at < frozen.alone_until), 0) as alone
       from series
       where brand_id = $1 and metric = 'events' and minutes = ${SERIES_MINUTES.hour}
         and starts_at >= greatest(date_trunc('hour', read."from"), $3) and starts_at < read."to"
         and (read.names is null or name = any(read.names))
     ) as counted,
     lateral (
       select coalesce(sum(events * part), 0) as count, coalesce(sum(events * part) filter (where is_alone), 0) as alone
       from (
         select events, is_alone, greatest(0, extract(epoch from least(ends_at, read."to", $3) - greatest(starts_at, read."from"))
           / extract(epoch from ends_at - starts_at)) as part from old_file
       ) as parted
     ) as old,
     lateral (
       select case when read.names is null then 1
         else coalesce(sum(event_count) filter (where event_name = any(read.names)) / nullif(sum(event_count), 0), 0) end as share
       from event_names where brand_id = $1
     ) as named
     order by read.place`,
    [brandId, JSON.stringify(asked), new Date(now - SERIES_LIMITS.rowsDays * DAY_MS)],
  )
  return rows
}

const DAY_MS = 86_400_000

/** An id begins with the moment of receipt, in milliseconds. */
function receivedSql(id: 'first_id' | 'end_id'): string {
  return `to_timestamp((${id} >> 21) / 1000.0)`
}
