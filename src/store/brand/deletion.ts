import type { AuthoredRequest } from '../author.ts'
import type { Database, Db } from '../db.ts'
import { notifyKeysGone } from '../notify.ts'

type Stop = {
  readonly externalId: string
  readonly now: number
  /** Until when the brand can be restored. */
  readonly until: number
  readonly author?: AuthoredRequest
}

/**
 * Stops a live brand, so that it can be restored for some time; false when there is no live brand with this id. After
 * this commit its keys and members are refused, and nothing of it is claimed. A worker with a chunk of it writes the
 * outcomes it has at the next settlement, and gives the chunk back.
 */
export async function stopBrand(
  database: Database,
  { externalId, now, until, author }: Stop,
): Promise<boolean> {
  return database.asEngine(async (tx) => {
    const { count } = await tx.query(
      'update brands set deleted_at = $2, restorable_until = $3 where external_id = $1 and deleted_at is null',
      [externalId, new Date(now), new Date(until)],
    )
    if (count === 1) await notifyKeysGone(tx)
    return count === 1
  }, author)
}

/** Makes a stopped brand live again, with all it had; false when there is none that can be restored. */
export async function restoreBrand(
  database: Database,
  { externalId, now, author }: Omit<Stop, 'until'>,
): Promise<boolean> {
  const isRestored = await database.asEngine(async (tx) => {
    const { count } = await tx.query(
      `update brands set deleted_at = null, restorable_until = null
       where external_id = $1 and restorable_until > $2`,
      [externalId, new Date(now)],
    )
    // Its keys are cached as those of a brand that is being deleted.
    if (count === 1) await notifyKeysGone(tx)
    return count === 1
  }, author)
  if (isRestored) database.notify('send')
  return isRestored
}

/**
 * Deletes a brand for good, stopped or not, and returns whether there was one. After this commit its keys and
 * credentials are gone, its external id is free, and no worker can open one of its chunks; a worker that has one finds
 * its claim lost at the next settlement. `purgeBrands` removes the other rows in steps.
 */
export async function deleteBrand(database: Database, externalId: string): Promise<boolean> {
  return database.asEngine(async (tx) => {
    const [gone] = await endBrands(tx, 'external_id = $1', [externalId])
    return gone !== undefined
  })
}

/** Deletes stopped brands that can no longer be restored, a few at a time, and gives their external ids. */
export async function deleteDueBrands(
  database: Database,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly string[]> {
  return database.asEngine(async (tx) =>
    endBrands(
      tx,
      `id in (select id from brands where restorable_until <= $1 order by id limit $2 for update skip locked)
         and restorable_until <= $1`,
      [new Date(now), limit],
    ),
  )
}

async function endBrands(tx: Db, condition: string, values: readonly unknown[]): Promise<readonly string[]> {
  const { rows } = await tx.query<{ id: number; externalId: string }>(
    `update brands set name = external_id, external_id = 'deleted:' || id, restorable_until = null,
       deleted_at = coalesce(deleted_at, clock_timestamp())
     where (deleted_at is null or restorable_until is not null) and ${condition}
     returning id, name as "externalId"`,
    values,
  )
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  for (const table of ACCESS_TABLES) await tx.query(`delete from ${table} where brand_id = any($1)`, [ids])
  await tx.query('delete from chunks where brand_id = any($1) and leased_by is not null', [ids])
  await notifyKeysGone(tx)
  return rows.map(({ externalId }) => externalId)
}

/** The tables that let a caller in or a message out. They have few rows, so these are deleted at once. */
const ACCESS_TABLES = ['api_keys', 'memberships', 'sealed_secrets', 'webhook_endpoints'] as const
