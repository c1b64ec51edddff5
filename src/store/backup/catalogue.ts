import type { Db } from '../db.ts'

/** A table. Names are SQL as PostgreSQL writes it: quoted where necessary, ready for a statement. */
export type Table = { readonly name: string; readonly columns: readonly string[] }

/**
 * A partition that no migration made: a loop made it while Beckon ran. `key` is set when the partition is itself
 * divided.
 */
export type Partition = {
  readonly name: string
  readonly parent: string
  readonly bound: string
  readonly key: string | null
  readonly options: string | null
  readonly rowSecurity: boolean
  readonly forceRowSecurity: boolean
}

/** `value` is the last number that the sequence gave out, in digits; null when it gave out none. */
export type Sequence = { readonly name: string; readonly value: string | null }

/**
 * Every table that has rows, leaf partitions included. The list of migrations is left out: a backup has the schema's
 * version.
 */
export async function loadTables(db: Db): Promise<readonly Table[]> {
  const { rows } = await db.query<Table>(
    `select format('%I.%I', nspname, relname) as name,
       array(select quote_ident(attname) from pg_attribute
             where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
             order by attnum)::text[] as columns
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'r' and relpersistence <> 't' and ${OURS}
       and (nspname, relname) <> ('public', 'schema_migrations')
     order by name`,
  )
  return rows
}

/** The partitions, a parent before its parts. */
export async function loadPartitions(db: Db): Promise<readonly Partition[]> {
  const { rows } = await db.query<Partition>(
    `select format('%I.%I', nspname, part.relname) as name, parentrelid::regclass::text as parent,
       pg_get_expr(part.relpartbound, part.oid) as bound,
       case part.relkind when 'p' then pg_get_partkeydef(part.oid) end as key,
       array_to_string(part.reloptions, ', ') as options,
       part.relrowsecurity as "rowSecurity", part.relforcerowsecurity as "forceRowSecurity"
     from pg_class as root
       cross join lateral pg_partition_tree(root.oid) as tree
       join pg_class as part on part.oid = tree.relid
       join pg_namespace on pg_namespace.oid = part.relnamespace
     where root.relkind = 'p' and not root.relispartition and tree.level > 0 and ${OURS}
     order by tree.level, name`,
  )
  return rows
}

/** The sequences. They are outside of transactions: read after the rows, they are never behind a number in a row. */
export async function loadSequences(db: Db): Promise<readonly Sequence[]> {
  const { rows } = await db.query<Sequence>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value
     from pg_sequences join pg_namespace on nspname = schemaname
     where ${OURS} order by name`,
  )
  return rows
}

const OURS = `nspname !~ '^pg_' and nspname <> 'information_schema'`
