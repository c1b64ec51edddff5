import type { Database, Db } from '../db.ts'

export type BrandPurge = {
  readonly rowsMax: number
  /**
   * How long nothing of a brand must have been found before its own row goes. A request or a worker that was under way
   * when the brand was deleted may still add something, and must end before nobody looks any more.
   */
  readonly quietMs: number
}

export type Purged = {
  readonly removed: number
  /** The brand of which nothing is left, if there is one. */
  readonly gone: { readonly id: number; readonly externalId: string } | null
}

/**
 * Removes some rows of a brand that was deleted, in one transaction; nothing when another worker is at it. Which tables
 * there are is read from the catalogue, so that none can be forgotten.
 */
export async function purgeBrands(database: Database, { rowsMax, quietMs }: BrandPurge): Promise<Purged> {
  return database.asEngine(async (tx) => {
    const brandId = await takeDeleted(tx)
    if (brandId === null) return NOTHING
    for (const way of BAD_WAYS) await tx.query(`set local ${way} = off`)
    let removed = 0
    for (const table of await loadTables(tx)) {
      if (removed < rowsMax) removed += await removeRows(tx, table, { brandId, limit: rowsMax - removed })
    }
    if (removed === 0) return { removed, gone: await endQuiet(tx, { brandId, quietMs }) }
    await tx.query('update brands set emptied_at = null where id = $1 and emptied_at is not null', [brandId])
    return { removed, gone: null }
  })
}

/** Each round is a step along an index. Whatever the server believes, none may walk over the whole brand, or all others. */
const BAD_WAYS = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'] as const

const NOTHING: Purged = { removed: 0, gone: null }

/** Those of which rows were found last come first: the others only wait. */
async function takeDeleted(tx: Db): Promise<number | null> {
  const { rows } = await tx.query<{ id: number }>(
    `select id from brands where deleted_at is not null
     order by emptied_at nulls first, deleted_at limit 1 for update skip locked`,
  )
  return rows[0]?.id ?? null
}

/** `key` is what follows the brand in the primary key, ready to stand in a statement. */
type Table = { readonly name: string; readonly key: string }

/** Every table with a brand. What others refer to comes last, so that it takes nothing uncounted along. */
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

/** The first rows of the brand in the order of the key: a range of one index, where a list of keys could be joined badly. */
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
