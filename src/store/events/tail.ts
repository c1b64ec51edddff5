import { afterBatch, batchOf, isWholeBatch, type TailPosition } from '../../domain/events/tail-position.ts'
import type { Db } from '../db.ts'
import { readPage } from '../page.ts'
import { EVENT_COLUMNS, type EventRow } from './list.ts'

/** The position of the newest batch, or the beginning. A tail starts after it. */
export async function findTailPosition(tx: Db, brandId: number): Promise<TailPosition> {
  const { rows } = await tx.query<StoredBatch>(
    `select b.tx::text as tx, b.id as "batchId" from event_batches as b
     where brand_id = $1 and b.tx < pg_snapshot_xmin(pg_current_snapshot())
     order by b.tx desc, b.id desc limit 1`,
    [brandId],
  )
  return rows[0] === undefined ? { tx: '0', eventId: 0n } : afterBatch(rows[0])
}

/** An event with the number of the transaction that stored it. */
export type TailEvent = EventRow & { readonly tx: string }

/** `skipped` is the number of events that one look left out. */
export type TailStep = {
  readonly events: readonly TailEvent[]
  readonly place: TailPosition
  readonly skipped: number
}

export type TailLook = {
  readonly place: TailPosition
  /** The last position that is read; everything that is committed, if it is null. */
  readonly upTo: TailPosition | null
  readonly limit: number
}

/**
 * The events that were committed since, in order. In a flood, each look shows the first events and counts the others.
 */
export async function readTail(tx: Db, brandId: number, { place, upTo, limit }: TailLook): Promise<TailStep> {
  const batches = await loadBatchesAfter(tx, brandId, { place, upTo, limit })
  const last = batches.at(-1)
  if (last === undefined) return { events: [], place, skipped: 0 }
  const { rows: events, hasMore } = await readPage<TailEvent>(tx, {
    text: `select ${EVENT_COLUMNS}, batch.tx
     from unnest($2::bigint[], $3::text[]) with ordinality as batch (id, tx, place)
     join events as e on e.brand_id = $1 and e.id >= batch.id and e.id < batch.id + 1024
       and (e.id > $4 or batch.id <> $5)
     order by batch.place, e.id limit $6`,
    values: [
      brandId,
      batches.map(({ batchId }) => batchId),
      batches.map((batch) => batch.tx),
      place.eventId,
      batchOf(place.eventId),
      limit,
    ],
    limit,
    kind: 'rows',
  })
  const stored = batches.reduce((sum, { entries }) => sum + entries, 0)
  const isBegun = batches[0]?.batchId === batchOf(place.eventId)
  const before = isBegun ? Number(place.eventId - batchOf(place.eventId)) + 1 : 0
  // A page that is not full has all there are: missing ones were erased, not skipped.
  const skipped = hasMore ? Math.max(0, stored - before - events.length) : 0
  return { events, place: afterBatch(last), skipped }
}

type StoredBatch = { readonly tx: string; readonly batchId: bigint }

/** The batches after a position, the one it stands in first if that is not whole. */
async function loadBatchesAfter(
  tx: Db,
  brandId: number,
  { place, upTo, limit }: TailLook,
): Promise<readonly (StoredBatch & { readonly entries: number })[]> {
  const after = isWholeBatch(place) ? place.eventId : batchOf(place.eventId) - 1n
  const { rows } = await tx.query<StoredBatch & { readonly entries: number }>(
    `select b.tx::text as tx, b.id as "batchId", b.entries from event_batches as b
     where brand_id = $1 and (b.tx, b.id) > ($2::xid8, $3::bigint)
       and b.tx < pg_snapshot_xmin(pg_current_snapshot())
       and ($5::xid8 is null or (b.tx, b.id) <= ($5::xid8, $6::bigint))
     order by b.tx, b.id limit $4`,
    [brandId, place.tx, after, limit, upTo?.tx ?? null, upTo?.eventId ?? null],
  )
  return rows
}
