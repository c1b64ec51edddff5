import type { Database, Db } from '../db.ts'
import { STEP_ALONG_INDEX } from '../plans.ts'

export type BrandPurge = {
  readonly rowsMax: number
  /**
   * How long the purge must find no row of a brand before it deletes the brand's own row. A request or a worker that
   * began before the deletion may still add rows, and has ended by then.
   */
  readonly quietMs: number
}

export type Purged = {
  readonly removed: number
  /** The brand whose last row was removed, if there is one. */
  readonly gone: { readonly id: number; readonly externalId: string } | null
}

/**
 * Removes some rows of one deleted brand, in one transaction, and none when another worker is doing it. The catalogue
 * names the tables, so none can be forgotten.
 */
export async function purgeBrands(database: Database, { rowsMax, quietMs }: BrandPurge): Promise<Purged> {
  return database.asEngine(async (tx) => {
    const brandId = await takeDeleted(tx)
    if (brandId === null) return NOTHING
    await tx.query(STEP_ALONG_INDEX)
    await tx.query('set local beckon.keeps_results = on')
    let removed = 0
    for (const table of await loadTables(tx)) {
      if (removed < rowsMax) removed += await removeRows(tx, table, { brandId, limit: rowsMax - removed })
    }
    if (removed === 0) return { removed, gone: await endQuiet(tx, { brandId, quietMs }) }
    await tx.query('update brands set emptied_at = null where id = $1 and emptied_at is not null', [brandId])
    return { removed, gone: null }
  })
}

const NOTHING: Purged = { removed: 0, gone: null }

/** Brands that had rows in the last round are purged first; brands that were empty then only wait. */
async function takeDeleted(tx: Db): Promise<number | null> {
  const { rows } = await tx.query<{ id: number }>(
    `select id from brands where deleted_at is not null and restorable_until is null
     order by emptied_at nulls first, deleted_at limit 1 for update skip locked`,
  )
  return rows[0]?.id ?? null
}

/** `key` has the columns after the brand in the primary key, ready for a statement. */
type Table = { readonly name: string; readonly key: string }

/**
 * Every table with a brand. A table that others refer to comes last, because its rows would take the others along
 * uncounted.
 */
async function loadTables(tx: Db): Promise<readonly Table[]> {
  const { rows } = await tx.query<Table>({
    name: 'load_brand_tables',
    text: `select format('%I', relname) as name,
        (select string_agg(quote_ident(attname), ', ' order by place)
         from unnest(indkey::smallint[]) with ordinality as part (attnum, place)
         join pg_attribute as a on a.attrelid = c.oid and a.attnum = part.attnum
         where place <= indnkeyatts and attname <> 'brand_id') as key
      from pg_class as c join pg_index on indrelid = c.oid and indisprimary
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and exists (select from pg_attribute where attrelid = c.oid and attname = 'brand_id')
      order by exists (select from pg_constraint where confrelid = c.oid), relname`,
  })
  return rows
}

/**
 * Removes the first rows of the brand in the order of the key. A range of one index is safe, where a join with a list
 * of keys could be planned badly.
 */
async function removeRows(
  tx: Db,
  { name, key }: Table,
  { brandId, limit }: { readonly brandId: number; readonly limit: number },
): Promise<number> {
  const downwards = key.replaceAll(',', ' desc,')
  const { count } = await tx.query(
    `delete from ${name} where brand_id = $1 and (${key}) <= (
       select ${key} from (select ${key} from ${name} where brand_id = $1 order by ${key} limit $2) as first
       order by ${downwards} desc limit 1)`,
    [brandId, limit],
  )
  return count
}

async function endQuiet(
  tx: Db,
  { brandId, quietMs }: { readonly brandId: number; readonly quietMs: number },
): Promise<Purged['gone']> {
  await tx.query('update brands set emptied_at = clock_timestamp() where id = $1 and emptied_at is null', [
    brandId,
  ])
  const { rows } = await tx.query<{ id: number; externalId: string }>(
    `delete from brands where id = $1 and emptied_at <= clock_timestamp() - $2 * interval '1 millisecond'
     returning id, name as "externalId"`,
    [brandId, quietMs],
  )
  return rows[0] ?? null
}
