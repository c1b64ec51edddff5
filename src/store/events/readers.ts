import type { AttributeCounts } from '../../domain/events/type-locks.ts'
import type { Db } from '../db.ts'
import type { PurgeBounds } from '../purge-aged.ts'

/** The name under which counting keeps its place in the batches. */
export const COUNTING_READER = 'counting'

/** The position of a reader of one brand's batches: it has read everything up to this batch. */
export type EventReader = {
  readonly brandId: number
  readonly reader: string
  /** A transaction number of 64 bits, as text. */
  readonly tx: string
  readonly batchId: bigint
}

export type Batch = {
  readonly tx: string
  readonly id: bigint
  readonly entries: number
  readonly seen: AttributeCounts
}

/**
 * Every transaction below this number has ended. Batches commit in another order than their numbers; a reader that
 * stops here skips none.
 */
const READ_HORIZON = 'pg_snapshot_xmin(pg_current_snapshot())'

/** Whether the reader `r` has batches to read. */
export const IS_BEHIND = `exists (select from event_batches as b
  where b.brand_id = r.brand_id and (b.tx, b.id) > (r.tx, r.batch_id) and b.tx < ${READ_HORIZON})`

/** Whether the row of `brands` has no position of a reader yet. */
export function lacksReader(reader: string): string {
  return `deleted_at is null
    and not exists (select from event_readers where brand_id = brands.id and reader = ${reader})`
}

/** Gives every brand a position of the reader, at the beginning. */
export async function ensureReaders(db: Db, reader: string): Promise<void> {
  await db.query(
    `insert into event_readers (brand_id, reader)
     select id, $1 from brands
     where ${lacksReader('$1')}
     on conflict do nothing`,
    [reader],
  )
}

/**
 * Gives a brand positions of readers, at this moment: they do not read what is stored by now. A transaction that is still
 * open is not skipped.
 */
export async function ensureReadersNow(db: Db, brandId: number, readers: readonly string[]): Promise<void> {
  await db.query(
    `insert into event_readers (brand_id, reader, tx, batch_id)
     select $1, reader, pg_snapshot_xmin(pg_current_snapshot()), 0 from unnest($2::text[]) as reader
     on conflict do nothing`,
    [brandId, readers],
  )
}

/** Brands with batches that the reader has not read, the furthest behind first. */
export async function findBehind(
  db: Db,
  { reader, limit, except = [] }: BehindQuery,
): Promise<readonly number[]> {
  const { rows } = await db.query<{ brandId: number }>(
    `select brand_id as "brandId" from event_readers as r
     where reader = $1 and brand_id <> all($3::integer[]) and ${IS_BEHIND}
     order by r.tx limit $2`,
    [reader, limit, except],
  )
  return rows.map(({ brandId }) => brandId)
}

export type BehindQuery = {
  readonly reader: string
  readonly limit: number
  /** Brands to leave out for now. */
  readonly except?: readonly number[]
}

/**
 * Locks a reader's position until the transaction ends, and waits for the worker that has it; null when there is none
 * yet.
 */
export async function takeReader(
  tx: Db,
  { brandId, reader }: Pick<EventReader, 'brandId' | 'reader'>,
): Promise<EventReader | null> {
  const { rows } = await tx.query<EventReader>(
    `select brand_id as "brandId", reader, tx::text as tx, batch_id as "batchId" from event_readers
     where brand_id = $1 and reader = $2 for update`,
    [brandId, reader],
  )
  return rows[0] ?? null
}

/** The most that a reader takes at once, which is done over after a kill. A last batch may go beyond `entriesMax`. */
export type BatchBounds = { readonly batchesMax: number; readonly entriesMax?: number }

/** About half a second of work for a reader that looks at every event. */
const ENTRIES_MAX = 20_000

/** The next batches, in order; none when the reader has read all. */
export async function loadBatches(
  tx: Db,
  place: EventReader,
  { batchesMax, entriesMax = ENTRIES_MAX }: BatchBounds,
): Promise<readonly Batch[]> {
  const { rows } = await tx.query<Batch>(
    // Sorted by the column and not by its text, in which 1000 comes before 999.
    `select next.tx::text as tx, id, entries, seen from (
       select b.tx, b.id, entries, attributes_seen as seen, sum(entries) over (order by b.tx, b.id) - entries as before
       from event_batches as b
       where brand_id = $1 and (b.tx, b.id) > ($2::xid8, $3::bigint) and b.tx < ${READ_HORIZON}
       order by b.tx, b.id limit $4
     ) as next where before < $5 order by next.tx, next.id`,
    [place.brandId, place.tx, place.batchId, batchesMax, entriesMax],
  )
  return rows
}

/** Moves a reader past this batch; called in the transaction that stores the reader's results. */
export async function advanceReader(tx: Db, place: EventReader, { tx: at, id }: Batch): Promise<void> {
  await tx.query(
    'update event_readers set tx = $3::xid8, batch_id = $4 where brand_id = $1 and reader = $2',
    [place.brandId, place.reader, at, id],
  )
}

/** Deletes batches that are old and that every reader of the brand has read. */
export async function purgeBatches(db: Db, { now, rowsMax }: PurgeBounds): Promise<number> {
  const { count } = await db.query(
    `with old as (
       select stale.* from brands
       cross join lateral (
         select b.brand_id, b.tx, b.id from event_batches as b
         where b.brand_id = brands.id and b.id < ($1::bigint << 21) and not exists (
           select from event_readers as r
           where r.brand_id = b.brand_id and (r.tx, r.batch_id) < (b.tx, b.id)
         )
         order by b.tx, b.id limit $2
       ) as stale
       limit $2
     )
     delete from event_batches as b using old
     where b.brand_id = old.brand_id and b.tx = old.tx and b.id = old.id`,
    [now - BATCH_KEEP_MS, rowsMax],
  )
  return count
}

/** Two days, so that a live tail or a new reader can look back a little. */
const BATCH_KEEP_MS = 2 * 86_400_000
