import type { ChunkRef } from './chunks.ts'
import type { Db } from './db.ts'

/** Gives a chunk back for later, with what remains of it and no attempt spent. Nothing happens if it was lost. */
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
