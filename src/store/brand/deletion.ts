import type { Database } from '../db.ts'
import { notifyKeysGone } from '../notify.ts'

/**
 * Deletes a brand, and returns whether there was one. After this commit its keys and credentials are gone, its
 * external id is free, and no worker can open one of its chunks; a worker that has one finds its claim lost at the
 * next settlement. `purgeBrands` removes the other rows in steps.
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
    for (const table of ACCESS_TABLES) await tx.query(`delete from ${table} where brand_id = $1`, [brand.id])
    await tx.query('delete from chunks where brand_id = $1 and leased_by is not null', [brand.id])
    await notifyKeysGone(tx)
    return true
  })
}

/** The tables that let a caller in or a message out. They have few rows, so these are deleted at once. */
const ACCESS_TABLES = ['api_keys', 'memberships', 'sealed_secrets', 'webhook_endpoints'] as const
