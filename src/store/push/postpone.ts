import type { Db } from '../db.ts'
import type { ChannelRef } from './channels.ts'
import { type ChunkRef, LOCK_CLAIMED, refValues, UNLEASED } from './chunks.ts'

/** A claimed chunk that is given back, and how long it waits until it may be claimed again. */
export type Postponement = { readonly chunk: ChunkRef; readonly waitMs: number }

/**
 * Gives chunks back for later, with their remaining recipients and without counting an attempt. A chunk whose claim was
 * lost is left alone.
 */
export async function postponeChunks(db: Db, postponed: readonly Postponement[]): Promise<void> {
  const refs = postponed.map(({ chunk }) => chunk)
  await db.query(
    {
      name: 'postpone_chunks',
      text: `with locked as materialized (${LOCK_CLAIMED})
        update chunks as c set ready_at = clock_timestamp() + ($4::float8[])[place] * interval '1 millisecond',
          ${UNLEASED}
        from locked where c.brand_id = locked.brand_id and c.id = locked.id`,
    },
    [...refValues(refs), postponed.map(({ waitMs }) => waitMs)],
  )
}

/**
 * Gives chunks of a channel back until it may be tried again, or for now if it was repaired meanwhile. The lock makes
 * this and `wakeChunks` follow each other, so that no chunk is postponed just after all others were woken.
 */
export async function postponePaused(
  db: Db,
  { brandId, platform }: ChannelRef,
  chunks: readonly ChunkRef[],
): Promise<void> {
  await db.query(
    {
      name: 'postpone_paused_chunks',
      text: `with channel as materialized (
          select retry_at from channels where brand_id = $4 and platform = $5 for share
        ), locked as materialized (${LOCK_CLAIMED})
        update chunks as c set ${UNLEASED},
          ready_at = greatest(clock_timestamp(), (select retry_at from channel))
        from locked where c.brand_id = locked.brand_id and c.id = locked.id`,
    },
    [...refValues(chunks), brandId, platform],
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
