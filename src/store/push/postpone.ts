import type { Db } from '../db.ts'
import type { ChannelRef } from './channels.ts'
import type { ChunkRef } from './chunks.ts'

/**
 * Gives a chunk back for later, with its remaining recipients and without counting an attempt. Does nothing if the
 * claim was lost.
 */
export async function postponeChunk(
  db: Db,
  { brandId, id, claims }: ChunkRef,
  { waitMs }: { readonly waitMs: number },
): Promise<void> {
  await db.query(
    `update chunks set ready_at = clock_timestamp() + $4 * interval '1 millisecond', leased_by = null
     where brand_id = $1 and id = $2 and claims = $3`,
    [brandId, id, claims, waitMs],
  )
}

/**
 * Gives a chunk back until its channel may be tried again, or for now if the channel was repaired meanwhile. The lock
 * makes this and `wakeChunks` follow each other, so that no chunk is postponed just after all others were woken.
 */
export async function postponePaused(
  db: Db,
  { brandId, id, claims }: ChunkRef,
  platform: ChannelRef['platform'],
): Promise<void> {
  await db.query(
    `with channel as materialized (
       select retry_at from channels where brand_id = $1 and platform = $4 for share
     )
     update chunks set leased_by = null,
       ready_at = greatest(clock_timestamp(), (select retry_at from channel))
     where brand_id = $1 and id = $2 and claims = $3`,
    [brandId, id, claims, platform],
  )
}

/**
 * Makes the chunks that wait for a repaired channel ready now. Retries keep the time that a provider asked for, and a
 * throttled notification keeps its pace, which is taken anew at every claim.
 */
export async function wakeChunks(tx: Db, { brandId, platform }: ChannelRef): Promise<void> {
  await tx.query(
    `update chunks as c set ready_at = clock_timestamp() from notifications as n
     where c.brand_id = $1 and c.leased_by is null and c.claims > 0 and c.attempt = 1
       and c.ready_at > clock_timestamp()
       and n.brand_id = c.brand_id and n.id = c.notification_id and n.platform = $2`,
    [brandId, platform],
  )
}
