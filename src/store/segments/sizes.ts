import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import type { Db } from '../db.ts'
import type { PurgeBounds } from '../purge-aged.ts'
import type { SegmentKey } from './segments.ts'

const DAY_MS = 86_400_000

/** The size of a segment on one day. */
export type SegmentSize = { readonly day: string; readonly size: number }

type SizeClaim = { readonly now: number; readonly count: number; readonly leaseMs: number }

/** Claims segments that have no size for today. A count that is not done when the lease ends can be claimed again. */
export async function claimSizes(db: Db, { now, count, leaseMs }: SizeClaim): Promise<readonly SegmentKey[]> {
  const { rows } = await db.query<SegmentKey>(
    `insert into segment_sizes as z (brand_id, segment_id, day, begun_at)
     select s.brand_id, s.id, $1::date, $2::timestamptz from segments as s
     where s.archived_at is null and not exists (
       select from segment_sizes as done where done.brand_id = s.brand_id and done.segment_id = s.id
         and done.day = $1::date and (done.size is not null or done.begun_at > $3::timestamptz))
     limit $4
     on conflict (brand_id, segment_id, day) do update set begun_at = excluded.begun_at
     where z.size is null and z.begun_at <= $3
     returning brand_id as "brandId", segment_id as id`,
    [dayOf(now), new Date(now), new Date(now - leaseMs), count],
  )
  return rows
}

type SizeNote = SegmentKey & { readonly size: number; readonly now: number }

/** Stores the size for the day. A segment that could not be counted before does not say why any more. */
export async function noteSize(db: Db, { brandId, id, size, now }: SizeNote): Promise<void> {
  await db.query(
    `with counted as (
       update segments set size_reason = null where brand_id = $1 and id = $2 and size_reason is not null
     )
     update segment_sizes set size = $4 where brand_id = $1 and segment_id = $2 and day = $3::date`,
    [brandId, id, dayOf(now), size],
  )
}

/** Ends the tries of a day: the count of the segment would fail again. */
export async function noteUncounted(
  tx: Db,
  { brandId, id, now }: SegmentKey & { readonly now: number },
): Promise<void> {
  await tx.query(
    `update segment_sizes set begun_at = $3::date + interval '1 day'
     where brand_id = $1 and segment_id = $2 and day = $3::date`,
    [brandId, id, dayOf(now)],
  )
}

/** The last days that have a size, oldest first. */
export async function listSizes(
  tx: Db,
  { brandId, id, limit }: SegmentKey & { readonly limit: number },
): Promise<readonly SegmentSize[]> {
  const { rows } = await tx.query<SegmentSize>(
    `select day, size from segment_sizes where brand_id = $1 and segment_id = $2 and size is not null
     order by day desc limit $3`,
    [brandId, id, limit],
  )
  return rows.toReversed()
}

/** Deletes sizes that are older than the history is long. */
export async function purgeSizes(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  const { count } = await db.query(
    `with old as (
       select z.brand_id, z.segment_id, z.day from segments as s cross join lateral (
         select brand_id, segment_id, day from segment_sizes
         where brand_id = s.brand_id and segment_id = s.id and day < $1::date order by day limit $2
       ) as z limit $2
     )
     delete from segment_sizes as z using old
     where z.brand_id = old.brand_id and z.segment_id = old.segment_id and z.day = old.day`,
    [dayOf(now - SEGMENT_LIMITS.sizeDaysKept * DAY_MS), rowsMax],
  )
  return count
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10)
}
