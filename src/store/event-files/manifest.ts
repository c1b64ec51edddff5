import type { Db } from '../db.ts'
import type { RowRange, RowSums } from './hot-rows.ts'

/** A file of frozen events, as the database knows it. `path` begins at the folder of event files. */
export type FrozenFile = RowRange & {
  readonly path: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
  readonly sums: RowSums
  /** In UTC, as a text. */
  readonly leastEventAt: string
  readonly greatestEventAt: string
  /** The columns of attributes. */
  readonly columns: readonly string[]
}

type SavedRange = {
  /** The range whose files these are. Files of it that are known are replaced. */
  readonly range: RowRange
  readonly files: readonly FrozenFile[]
  /** Every change below this number is in the files. */
  readonly fence: string
  readonly now: number
}

/** The id below which all events of a week `w` are in files. A week is frozen from its first event on, part by part. */
export const FROZEN_TO = `coalesce((select max(f.end_id) from event_files as f
  where f.brand_id = w.brand_id and f.first_id >= w.first_id and f.first_id < w.end_id), w.first_id)`

/**
 * Lists the files of the next part of a week. The last part makes the week frozen. False if this part is not the next one any more,
 * because the listed files of the week, the week or the brand are gone by now.
 */
export async function saveWeekFiles(tx: Db, saved: SavedRange): Promise<boolean> {
  const { brandId, firstId, endId } = saved.range
  const { count } = await tx.query(
    `update event_file_weeks as w set frozen_at = case when w.end_id = $3 then $4::timestamptz end, failures = 0, retry_at = null
     where w.brand_id = $1 and w.first_id <= $2 and w.end_id >= $3 and w.frozen_at is null and ${FROZEN_TO} = $2`,
    [brandId, firstId, endId, new Date(saved.now)],
  )
  if (count === 0) return false
  await saveFiles(tx, saved)
  return true
}

/** Records a file that was written again; false if the file that it replaces is not known any more. */
export async function replaceFile(tx: Db, path: string, saved: SavedRange): Promise<boolean> {
  const { count } = await tx.query(
    'select from event_files where brand_id = $1 and first_id = $2 and path = $3 for update',
    [saved.range.brandId, saved.range.firstId, path],
  )
  if (count === 0) return false
  await saveFiles(tx, saved)
  return true
}

async function saveFiles(tx: Db, { range, files, fence, now }: SavedRange): Promise<void> {
  const { brandId, firstId, endId } = range
  const within = [brandId, firstId, endId]
  await tx.query('delete from event_files where brand_id = $1 and first_id >= $2 and first_id < $3', within)
  await tx.query(
    `insert into event_files (brand_id, first_id, end_id, path, events, bytes, least_event_at, greatest_event_at, sum_ids,
       sum_profiles, sum_ltv, columns, sha256, fence, written_at)
     select $1, first_id, end_id, path, events, bytes, least, greatest, ids, profiles, ltv, columns, decode(sha256, 'hex'),
       $3::xid8, $4
     from jsonb_to_recordset($2::jsonb) as f (first_id bigint, end_id bigint, path text, events bigint, bytes bigint,
       least timestamptz, greatest timestamptz, ids numeric, profiles numeric, ltv numeric, columns text[], sha256 text)`,
    [brandId, JSON.stringify(files.map(rowOf)), fence, new Date(now)],
  )
  await tx.query(
    'delete from event_file_changes where brand_id = $1 and event_id >= $2 and event_id < $3 and tx < $4::xid8',
    [...within, fence],
  )
}

/** Numbers are texts here, because JSON would round them. */
function rowOf({ sums, ...file }: FrozenFile): object {
  return {
    first_id: String(file.firstId),
    end_id: String(file.endId),
    path: file.path,
    events: sums.count,
    bytes: file.bytes,
    least: `${file.leastEventAt}+00`,
    greatest: `${file.greatestEventAt}+00`,
    ids: sums.ids,
    profiles: sums.profiles,
    ltv: sums.ltv,
    columns: file.columns,
    sha256: file.sha256,
  }
}

/** A file and its content, to be compared with the folder. `isAlone`: it has the only copy of its events. `sha256`: in hex, and empty if it is not known. */
export type ListedFile = {
  readonly brandId: number
  readonly path: string
  readonly bytes: bigint
  readonly sha256: string
  readonly isAlone: boolean
}

/** The newest files come last. */
export async function listFiles(db: Db): Promise<readonly ListedFile[]> {
  const { rows } = await db.query<ListedFile>(
    `select brand_id as "brandId", path, bytes, coalesce(encode(sha256, 'hex'), '') as sha256, is_alone as "isAlone"
     from event_files order by first_id, brand_id`,
  )
  return rows
}

/**
 * Forgets all files of the weeks of these files, so that the weeks are frozen anew. Their rows answer until then. A week with dropped rows
 * is not frozen anew: of its files only these are forgotten, and never one that has the only copy of its events.
 */
export async function forgetWeeksOf(db: Db, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  await db.query(
    `with lost as (
       select distinct w.brand_id, w.first_id, w.end_id from event_files as f join event_file_weeks as w
         on w.brand_id = f.brand_id and f.first_id >= w.first_id and f.first_id < w.end_id
       where f.path = any($1::text[]) and not f.is_alone
     ), whole as (
       select * from lost where not exists (select from event_files as f
         where f.brand_id = lost.brand_id and f.first_id >= lost.first_id and f.first_id < lost.end_id and f.is_alone)
     ), gone as (
       delete from event_files as f using lost
       where f.brand_id = lost.brand_id and f.first_id >= lost.first_id and f.first_id < lost.end_id and not f.is_alone
         and (f.path = any($1::text[]) or (lost.brand_id, lost.first_id) in (select brand_id, first_id from whole))
     )
     update event_file_weeks as w set frozen_at = null from whole
     where w.brand_id = whole.brand_id and w.first_id = whole.first_id`,
    [paths],
  )
}

/** When a file is written again. */
export type RewriteRule = {
  /** A file with an event that was deleted before this time. */
  readonly goneBefore: number
  /** A file with an event that changed before this time. */
  readonly changedBefore: number
  /** A file of whose events at least this share changed. */
  readonly share: number
  readonly now: number
  readonly limit: number
}

/** `goneAt`: when the first of its events was deleted; null if none was. */
type RewritableFile = RowRange & {
  readonly path: string
  readonly events: number
  readonly goneAt: number | null
}

/**
 * The files to write again. Those that were never tried come first, and among them those with deleted events. A change whose transaction may have been open a moment ago would not be below
 * the fence of the new file, so it waits.
 */
export async function findRewritable(
  db: Db,
  { goneBefore, changedBefore, share, now, limit }: RewriteRule,
): Promise<readonly RewritableFile[]> {
  const { rows } = await db.query<RewritableFile>(
    `select brand_id as "brandId", first_id as "firstId", end_id as "endId", path, events::double precision as events,
       gone_at as "goneAt" from (
       select f.brand_id, f.first_id, f.end_id, f.path, f.events, f.retry_at, count(*) as changes,
         min(c.changed_at) filter (where c.is_gone) as gone_at, min(c.changed_at) as changed_at
       from event_files as f join event_file_changes as c
         on c.brand_id = f.brand_id and c.event_id >= f.first_id and c.event_id < f.end_id and c.tx >= f.fence
           and c.tx < pg_snapshot_xmin(pg_current_snapshot()) and (not c.is_kept or c.is_gone)
       join brands on brands.id = f.brand_id and brands.deleted_at is null
       group by f.brand_id, f.first_id
     ) as changed
     where coalesce(retry_at <= $5, true)
       and (gone_at <= $1 or changed_at <= $2 or changes >= $3::double precision * events)
     order by retry_at nulls first, gone_at nulls last, changed_at limit $4`,
    [new Date(goneBefore), new Date(changedBefore), share, limit, new Date(now)],
  )
  return rows
}
