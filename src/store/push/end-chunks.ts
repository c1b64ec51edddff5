import type { DeliveryState } from '../../rules/push.ts'
import type { Database, Db } from '../db.ts'
import { type ChunkRef, momentOf, NOW } from './chunks.ts'
import { closeSql } from './delivery-ends.ts'
import { tallySql } from './tally-sql.ts'

/** The end of a chunk whose remaining recipients will not be sent to, and the reason. */
export type ChunkEnd = {
  readonly state: Extract<DeliveryState, 'failed' | 'expired' | 'cancelled'>
  readonly reason: string
}

/**
 * Counts all remaining recipients of a claimed chunk under one state; false if the claim was lost. A recipient that
 * was never tried gets no row.
 */
export async function endChunk(db: Db, chunk: ChunkRef, { state, reason }: ChunkEnd): Promise<boolean> {
  const { count } = await db.query(
    `with gone as (
       delete from chunks where brand_id = $1 and id = $2 and claims = $3
       returning brand_id, notification_id, subscription_ids, remaining
     ), ${closeSql('$4', '$5')}
     ${tallySql('gone', {
       failed: `case $4 when 'failed' then remaining else 0 end`,
       expired: `case $4 when 'expired' then remaining else 0 end`,
       cancelled: `case $4 when 'cancelled' then remaining else 0 end`,
     })}`,
    [chunk.brandId, chunk.id, chunk.claims, state, reason],
  )
  return count === 1
}

/**
 * Ends a claimed chunk that cannot be sent at all. If it was the last chunk of its notification and nothing was sent,
 * the notification is `failed` and not `sent`.
 */
export async function failChunk(database: Database, chunk: ChunkRef, reason: string): Promise<void> {
  await database.asEngine(async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      'select notification_id as id from chunks where brand_id = $1 and id = $2 and claims = $3',
      [chunk.brandId, chunk.id, chunk.claims],
    )
    const [notification] = rows
    if (notification === undefined) return
    await endChunk(tx, chunk, { state: 'failed', reason })
    await tx.query(
      `update notifications set state = 'failed', reason = $3
       where brand_id = $1 and id = $2 and state = 'sent' and failed = audience`,
      [chunk.brandId, notification.id, reason],
    )
  })
}

/**
 * Ends chunks that expired before a worker claimed them. Notifications are locked in order, so that two workers never
 * wait for each other. Gives the number of chunks; after a full round there may be more.
 */
export async function expireChunks(
  db: Db,
  { rowsMax, now }: { readonly rowsMax: number; readonly now?: number },
): Promise<number> {
  const limit = Math.trunc(rowsMax)
  const text = `with moment (now) as materialized (select coalesce($1::timestamptz, clock_timestamp())
     ), stale as (
       select brand_id, id from chunks
       where expires_at <= ${NOW} and (leased_by is null or ready_at <= ${NOW})
       order by expires_at limit ${limit} for update skip locked
     ), gone as (
       delete from chunks using stale where chunks.brand_id = stale.brand_id and chunks.id = stale.id
       returning chunks.brand_id, notification_id, subscription_ids, remaining
     ), ${closeSql(`'expired'`, `'expired'`)}, summed as (
       select brand_id, notification_id, sum(remaining) as remaining from gone group by 1, 2
     ), locked as materialized (
       select summed.* from notifications as n
       join summed on n.brand_id = summed.brand_id and n.id = summed.notification_id
       order by n.brand_id, n.id for update of n
     ), counted as (
       ${tallySql('locked', { expired: 'remaining' })}
     )
     select count(*)::integer as chunks from gone`
  const statement = { name: `expire_chunks_${limit}`, text }
  const { rows } = await db.query<{ chunks: number }>(statement, [momentOf(now)])
  return rows[0]?.chunks ?? 0
}
