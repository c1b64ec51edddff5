import { firstIdAt, receivedAt, weekOf } from '../../domain/events/week.ts'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import type { Db } from '../db.ts'
import { lockDroppedRows } from './alone-files.ts'
import { areFilesUnused } from './file-use.ts'
import type { RowRange } from './hot-rows.ts'

/** A file whose rows can be dropped. */
type DroppableFile = RowRange & { readonly path: string; readonly events: number }

type DropRule = {
  /** Rows that were received before this moment are dropped. */
  readonly receivedBefore: number
  readonly now: number
  readonly limit: number
}

/** The files whose rows are old enough, and whose week is frozen as a whole. Files that were never tried come first. */
export async function findDroppable(db: Db, rule: DropRule): Promise<readonly DroppableFile[]> {
  const { rows } = await db.query<DroppableFile>(
    `select f.brand_id as "brandId", f.first_id as "firstId", f.end_id as "endId", f.path,
       f.events::double precision as events from event_files as f
       join event_file_weeks as w on w.brand_id = f.brand_id and f.first_id >= w.first_id and f.first_id < w.end_id
         and w.frozen_at is not null
       join brands on brands.id = f.brand_id and brands.deleted_at is null
     where not f.is_alone and f.end_id <= $1 and coalesce(f.drop_after <= $2, true) and coalesce(f.retry_at <= $2, true)
     order by f.retry_at nulls first, f.first_id, f.brand_id limit $3`,
    [firstIdAt(Math.max(0, rule.receivedBefore)), new Date(rule.now), rule.limit],
  )
  return rows
}

/** Whether the rows of this file are dropped. */
export async function isAlone(
  db: Db,
  { brandId, firstId, path }: Omit<DroppableFile, 'events'>,
): Promise<boolean> {
  const { count } = await db.query(
    'select from event_files where brand_id = $1 and first_id = $2 and path = $3 and is_alone',
    [brandId, firstId, path],
  )
  return count > 0
}

/** The table for events that were read from new files. */
export async function openWritten(tx: Db): Promise<void> {
  await tx.query(
    'create temporary table written_events (like public.events, primary key (id)) on commit drop',
  )
}

/**
 * The events of a range that the new files would not give back to the last character, such as those with the number `2.50`. Their rows
 * stay. Throws if one of them has no row, because it would be lost.
 */
export async function findOdd(tx: Db, { brandId, firstId, endId }: RowRange): Promise<readonly bigint[]> {
  const compared = COMPARED.map((column) => `e.${column}`).join(', ')
  const written = COMPARED.map((column) => `w.${column}`).join(', ')
  const { rows } = await tx.query<{ id: bigint; hasRow: boolean }>(
    `select e.id, exists (select from public.events as r where r.brand_id = $1 and r.id = e.id) as "hasRow"
     from events as e left join pg_temp.written_events as w on w.id = e.id
     where e.brand_id = $1 and e.id >= $2 and e.id < $3 and (w.id is null or (${compared}) is distinct from (${written}))`,
    [brandId, firstId, endId],
  )
  const lost = rows.find(({ hasRow }) => !hasRow)
  if (lost !== undefined)
    throw new Error(`the new file has not the event ${lost.id} of the old one as it was`)
  return rows.map(({ id }) => id)
}

const COMPARED = [
  'profile_id',
  'event_at',
  'event_name',
  'ltv::text',
  'is_before_creation',
  'is_from_browser',
  'event_id',
  'source_profile_id',
  'context::text',
  'mistyped::text',
  'attributes::text',
]

/**
 * Begins the transaction that drops the rows of a range, as the engine: nobody writes to the week, and nobody of the brand reads dropped events,
 * until it ends. It waits for a moment only, and throws then (`isLockTimeout`). The session is the owner's.
 */
export async function beginDropping(owner: Db, { brandId, firstId }: RowRange): Promise<void> {
  await owner.query(`begin; set local lock_timeout = ${EVENT_FILE_LIMITS.dropLockMsMax}`)
  // In the order in which writers take the two locks.
  await lockDroppedRows(owner, { brandId, use: 'write' })
  await owner.query(`lock table public.${weekOf(receivedAt(firstId)).table} in share row exclusive mode`)
  await owner.query('set local role beckon_engine')
}

type DroppedRange = {
  readonly range: RowRange
  /** Every change below this number is in the new files. */
  readonly fence: string
  /** The events whose rows stay. */
  readonly odd: readonly bigint[]
  readonly now: number
}

/** Deletes the rows that are in the new files as they are, and marks these as alone, in the transaction that lists the files. */
export async function dropRows(tx: Db, { range, fence, odd, now }: DroppedRange): Promise<void> {
  const { brandId, firstId, endId } = range
  await tx.query(
    `insert into event_file_changes as c (brand_id, event_id, tx, is_gone, changed_at, is_kept)
     select $1, id, pg_current_xact_id(), false, $3, true from unnest($2::bigint[]) as id
     on conflict (brand_id, event_id) do nothing`,
    [brandId, odd, new Date(now)],
  )
  await tx.query(`set local beckon.drops_rows = 'yes'`)
  await tx.query(
    `delete from public.events as e where e.brand_id = $1 and e.id >= $2 and e.id < $3 and not exists (
       select from event_file_changes as c where c.brand_id = $1 and c.event_id = e.id and c.tx >= $4::xid8)`,
    [brandId, firstId, endId, fence],
  )
  await tx.query(`set local beckon.drops_rows = 'no'`)
  await tx.query(
    'update event_files set is_alone = true where brand_id = $1 and first_id >= $2 and first_id < $3',
    [brandId, firstId, endId],
  )
}

/** Notes a file that had the only copy of its events, in the transaction that replaces it. */
export async function noteReplaced(
  tx: Db,
  { brandId, path, now }: { readonly brandId: number; readonly path: string; readonly now: number },
): Promise<void> {
  await tx.query(
    'insert into replaced_event_files (brand_id, path, replaced_at) values ($1, $2, $3) on conflict do nothing',
    [brandId, path, new Date(now)],
  )
}

/**
 * The files that are not to be removed: those on the list, and those that were replaced a short while ago. Replaced files are forgotten after
 * that. Null if no file is to be removed, because somebody uses files that are on no list any more, or not yet.
 */
export async function listKept(tx: Db, now: number): Promise<ReadonlySet<string> | null> {
  if (!(await areFilesUnused(tx))) return null
  await tx.query('delete from replaced_event_files where replaced_at <= $1', [
    new Date(now - EVENT_FILE_LIMITS.replacedForMs),
  ])
  const { rows } = await tx.query<{ path: string }>(
    'select path from event_files union all select path from replaced_event_files',
  )
  return new Set(rows.map(({ path }) => path))
}

/** Whether events of any brand have no rows. */
export async function hasDroppedRows(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ hasDropped: boolean }>(
    'select exists (select from event_files where is_alone) as "hasDropped"',
  )
  return rows[0]?.hasDropped === true
}

/** The rows stay for now, because too many of them would not come back as they were. */
export async function postponeDrop(
  tx: Db,
  { range, now }: Pick<DroppedRange, 'range' | 'now'>,
): Promise<void> {
  await tx.query(
    'update event_files set drop_after = $4 where brand_id = $1 and first_id >= $2 and first_id < $3 and not is_alone',
    [range.brandId, range.firstId, range.endId, new Date(now + EVENT_FILE_LIMITS.oddRetryMs)],
  )
}
