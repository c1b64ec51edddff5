import type { Database } from '../db.ts'
import { ensureReaders, takeReader } from '../events/readers.ts'
import { type Unmerge, type Unmerged, unmerge } from './unmerging.ts'

/** Undoes a merge, while nothing of the brand is being counted. */
export async function undoMerge(database: Database, request: Unmerge): Promise<Unmerged> {
  await ensureReaders(database, 'counting')
  return database.asEngine(async (tx) => {
    await takeReader(tx, { brandId: request.brandId, reader: 'counting' })
    return unmerge(tx, request)
  })
}
