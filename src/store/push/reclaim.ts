import type { Db } from '../db.ts'
import type { ChunkRef } from './chunks.ts'

/**
 * Makes a held chunk a new claim of the same worker; null if it was lost. For a worker that does not know whether its
 * last settle was written: opened under the new claim, the chunk tells who has no outcome yet.
 */
export async function reclaimChunk(
  db: Db,
  { brandId, id, claims }: ChunkRef,
  { leaseMs }: { readonly leaseMs: number },
): Promise<ChunkRef | null> {
  const { rows } = await db.query<{ claims: number }>(
    `update chunks set claims = claims + 1, ready_at = clock_timestamp() + $4 * interval '1 millisecond'
     where brand_id = $1 and id = $2 and claims = $3 returning claims`,
    [brandId, id, claims, leaseMs],
  )
  const [row] = rows
  return row === undefined ? null : { brandId, id, claims: row.claims }
}
