import type { Database } from '../db.ts'
import type { ChunkRef } from './chunks.ts'
import { endChunk } from './end-chunks.ts'

/**
 * Ends a claimed chunk that cannot be sent at all. When it was the last of its notification and nothing of that was
 * ever handed over, the notification has failed, not been sent.
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
