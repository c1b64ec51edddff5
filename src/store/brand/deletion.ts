import type { Database } from '../db.ts'
import { notifyKeysGone } from '../notify.ts'

/**
 * Ends a brand, and tells whether there was one. With this commit its keys and credentials are gone, nobody can open a
 * chunk of it any more, whoever holds one hears of that when they next write something down, and its id is free. The
 * rest of its rows is cleared away by `purgeBrands`, however long that takes.
 */
export async function deleteBrand(database: Database, externalId: string): Promise<boolean> {
  return database.asEngine(async (tx) => {
    const { rows } = await tx.query<{ id: number }>(
      `update brands set name = external_id, external_id = 'deleted:' || id, deleted_at = clock_timestamp()
       where external_id = $1 and deleted_at is null returning id`,
      [externalId],
    )
    const [brand] = rows
    if (brand === undefined) return false
    for (const table of DOORS) await tx.query(`delete from ${table} where brand_id = $1`, [brand.id])
    await tx.query('delete from chunks where brand_id = $1 and leased_by is not null', [brand.id])
    await notifyKeysGone(tx)
    return true
  })
}

/** What lets anybody in, or anything out. Few rows, so they need not wait for the purge. */
const DOORS = ['api_keys', 'sealed_secrets', 'webhook_endpoints'] as const
