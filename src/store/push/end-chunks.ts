import type { DeliveryState } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import { endedSeriesSql } from '../series/changes.ts'
import { type ChunkRef, momentOf, NOW, refValues } from './chunks.ts'
import { closeSql } from './delivery-ends.ts'
import { tallySql } from './tally-sql.ts'

/** The end of a chunk whose remaining recipients will not be sent to, and the reason. */
export type ChunkEnd = {
  readonly state: Extract<DeliveryState, 'failed' | 'expired' | 'cancelled'>
  readonly reason: string
}

/** A claimed chunk that ends. */
export type EndedChunk = { readonly chunk: ChunkRef; readonly end: ChunkEnd }

/**
 * Counts all remaining recipients of claimed chunks under one state for each chunk, in one statement. A recipient that
 * was never tried gets no row. A notification of which nothing could be sent has failed, for the reason of its chunk. A
 * chunk whose claim was lost is left alone. Gives whether each chunk was ended.
 */
export async function endChunks(db: Db, ended: readonly EndedChunk[]): Promise<readonly boolean[]> {
  const { rows } = await db.query<{ place: number }>(END, [
    ...refValues(ended.map(({ chunk }) => chunk)),
    ended.map(({ end }) => end.state),
    ended.map(({ end }) => end.reason),
  ])
  const places = new Set(rows.map(({ place }) => place))
  return ended.map((_, index) => places.has(index + 1))
}

/** Chunks are locked in order, and after them notifications, so that two workers never wait for each other. */
const END = {
  name: 'end_chunks',
  text: `with asked as materialized (
      select * from unnest($1::integer[], $2::bigint[], $3::integer[], $4::text[], $5::text[])
        with ordinality as asked (brand_id, id, claims, state, reason, place)
      order by brand_id, id
    ), gone as (
      delete from chunks as c using asked
      where c.brand_id = asked.brand_id and c.id = asked.id and c.claims = asked.claims
      returning c.brand_id, c.notification_id, c.subscription_ids, c.remaining, asked.state, asked.reason, asked.place
    ), ${closeSql('gone.state', 'gone.reason')}, added_up as (
      ${endedSeriesSql('gone', 'ended.state', 'ended.reason')}
    ), summed as (
      select brand_id, notification_id, coalesce(sum(remaining) filter (where state = 'failed'), 0) as failed,
        coalesce(sum(remaining) filter (where state = 'expired'), 0) as expired,
        coalesce(sum(remaining) filter (where state = 'cancelled'), 0) as cancelled,
        max(reason) filter (where state = 'failed') as failure
      from gone group by brand_id, notification_id order by brand_id, notification_id
    ), locked as materialized (
      select summed.* from summed cross join lateral (
        select from notifications as n where n.brand_id = summed.brand_id and n.id = summed.notification_id for update
      ) as n
    ), counted as (
      ${tallySql('locked', { failed: 'failed', expired: 'expired', cancelled: 'cancelled', failure: 'failure' })}
    )
    select place::integer from gone`,
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
       where expires_at <= ${NOW} and (leased_until is null or leased_until <= ${NOW})
       order by expires_at limit ${limit} for update skip locked
     ), gone as (
       delete from chunks using stale where chunks.brand_id = stale.brand_id and chunks.id = stale.id
       returning chunks.brand_id, notification_id, subscription_ids, remaining
     ), ${closeSql(`'expired'`, `'expired'`)}, added_up as (
       ${endedSeriesSql('gone', `'expired'`, `'expired'`)}
     ), summed as (
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
