import type { EventWeek } from '../../domain/events/week.ts'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { errorCode } from '../../runtime/errors.ts'
import type { Db } from '../db.ts'
import { SESSION_LOCKS } from '../session-locks.ts'
import type { RowRange } from './hot-rows.ts'
import { FROZEN_TO } from './manifest.ts'

/** Takes the lock of the one process that freezes, until the session ends; false if another process has it. */
export async function lockEventFiles(owner: Db): Promise<boolean> {
  const { rows } = await owner.query<{ isMine: boolean }>(
    'select pg_try_advisory_lock($1, $2) as "isMine"',
    SESSION_LOCKS.eventFiles,
  )
  return rows[0]?.isMine === true
}

/** The number of the last batch of events that any brand stored. The numbers begin anew after 2048 batches. */
export async function loadLastBatch(owner: Db): Promise<bigint> {
  const { rows } = await owner.query<{ last: bigint }>('select last_value as last from event_batch_numbers')
  const [row] = rows
  if (row === undefined) throw new Error('a sequence came back without a row')
  return row.last
}

/** The brands with events in a week that is not watched yet. */
export async function findUnwatched(db: Db, { firstId, endId }: EventWeek): Promise<readonly number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from brands where deleted_at is null
       and exists (select from events as e where e.brand_id = brands.id and e.id >= $1 and e.id < $2)
       and not exists (select from event_file_weeks as w where w.brand_id = brands.id and w.first_id = $1)
     order by id`,
    [firstId, endId],
  )
  return rows.map(({ id }) => id)
}

type WatchOrder = { readonly week: EventWeek; readonly brandIds: readonly number[] }

/**
 * From this commit on, changes of these weeks are noted, and late events too. It needs the owner of the tables, and waits for
 * transactions that write to the week. Writers that come later wait behind it, so it waits for a moment only, and throws then
 * (`isLockTimeout`).
 */
export async function watchWeek(owner: Db, { week, brandIds }: WatchOrder): Promise<void> {
  await owner.query(`begin; set local lock_timeout = ${EVENT_FILE_LIMITS.watchLockMsMax}`)
  const { count } = await owner.query(
    `select from pg_trigger where tgrelid = $1::regclass and tgname = 'note_late_event'`,
    [week.table],
  )
  if (count === 0) {
    await owner.query(
      `create trigger note_late_event after insert on ${week.table} for each row execute function note_late_event()`,
    )
  }
  await owner.query('set local role beckon_engine')
  await owner.query(
    `insert into event_file_weeks (brand_id, first_id, end_id)
     select brand_id, $2, $3 from unnest($1::integer[]) as brand_id on conflict do nothing`,
    [brandIds, week.firstId, week.endId],
  )
  await owner.query('commit')
}

/** Whether the lock of a week was not free in time. */
export function isLockTimeout(cause: unknown): boolean {
  return errorCode(cause) === '55P03'
}

/**
 * A change that was not noted has a number below the fence, because it had one before the week was watched, and the fence
 * is taken after that. The end of a snapshot would not do: open transactions can be above it.
 */
export async function raiseFileFences(db: Db): Promise<void> {
  await db.query('update event_file_weeks set fence = pg_current_xact_id() where fence is null')
}

/**
 * The weeks that can be frozen, each from its first event that is in no file: all changes that were not noted have ended, and every
 * reader of the brand has read the week. Ranges that were never tried come first, then those whose turn came first.
 */
export async function findFreezable(
  db: Db,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly RowRange[]> {
  const { rows } = await db.query<RowRange>(
    `select w.brand_id as "brandId", ${FROZEN_TO} as "firstId", w.end_id as "endId" from event_file_weeks as w
       join brands on brands.id = w.brand_id and brands.deleted_at is null
     where w.frozen_at is null and coalesce(w.retry_at <= $2, true) and w.fence <= pg_snapshot_xmin(pg_current_snapshot()) and not exists (
       select from event_batches as b join event_readers as r on r.brand_id = b.brand_id
       where b.brand_id = w.brand_id and b.id >= w.first_id and b.id < w.end_id and (b.tx, b.id) > (r.tx, r.batch_id))
     order by w.retry_at nulls first, w.first_id, w.brand_id limit $1`,
    [limit, new Date(now)],
  )
  return rows
}

/** The snapshot of a transaction that copies rows: every transaction below this number has ended before it. */
export async function snapshotFence(tx: Db): Promise<string> {
  const { rows } = await tx.query<{ fence: string }>(
    'select pg_snapshot_xmin(pg_current_snapshot())::text as fence',
  )
  return rows[0]?.fence ?? '0'
}

/** Forgets the files of a week that is dropped, in the same transaction. The session is the owner's. */
export async function forgetWeek(owner: Db, { firstId, endId }: EventWeek): Promise<void> {
  await owner.query('set local role beckon_engine')
  await owner.query('delete from event_file_weeks where first_id = $1', [firstId])
  await owner.query('delete from event_files where first_id >= $1 and first_id < $2', [firstId, endId])
  await owner.query('delete from event_file_changes where event_id >= $1 and event_id < $2', [firstId, endId])
  await owner.query('reset role')
}
