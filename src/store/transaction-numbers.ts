import type { Db } from './db.ts'

/**
 * Some rows remember the number of the transaction that wrote them (`xid8`), and readers wait until the server says that
 * everything below a number has ended. Numbers belong to a server: in a database that was restored on a new one, old
 * rows lie in its future, and readers would wait for years and miss everything new. Such rows get small numbers here,
 * in the same order, and the server is brought past them. Says whether that was needed; costs a look at each table.
 */
export async function renumberTransactions(owner: Db): Promise<boolean> {
  const columns = await loadColumns(owner)
  if (columns.length === 0 || !(await hasFuture(owner, columns))) return false
  await owner.query('begin')
  const last = await renumber(owner, columns)
  await owner.query('commit')
  // Killed before this, the numbers still lie in the future, and the next start does it all again.
  await passNumber(owner, last)
  return true
}

type Column = { readonly table: string; readonly column: string; readonly isForced: boolean }

async function loadColumns(owner: Db): Promise<readonly Column[]> {
  const { rows } = await owner.query<Column>(
    `select format('%I.%I', nspname, relname) as table, quote_ident(attname) as column,
       relforcerowsecurity as "isForced"
     from pg_attribute
       join pg_class on pg_class.oid = attrelid
       join pg_namespace on pg_namespace.oid = relnamespace
     where atttypid = 'xid8'::regtype and attnum > 0 and not attisdropped
       and relkind in ('r', 'p') and not relispartition and nspname = 'public'
     order by 1, 2`,
  )
  return rows
}

/** A row that its own server wrote is never at or past the end of a snapshot that sees it. */
async function hasFuture(owner: Db, columns: readonly Column[]): Promise<boolean> {
  const looks = columns.map(
    ({ table, column }) =>
      `exists (select from ${table} where ${column} >= pg_snapshot_xmax(pg_current_snapshot()))`,
  )
  await owner.query('begin; set local role beckon_engine')
  const { rows } = await owner.query<{ future: boolean }>(`select ${looks.join(' or ')} as future`)
  await owner.query('commit')
  return rows[0]?.future === true
}

/** Returns the highest number given. 0 means "from the beginning" and stays; 1 and 2 PostgreSQL keeps for itself. */
async function renumber(owner: Db, columns: readonly Column[]): Promise<number> {
  const forced = columns.filter(({ isForced }) => isForced)
  const old = columns.map(({ table, column }) => `select ${column} as old from ${table}`).join(' union ')
  for (const { table } of columns) await owner.query(`lock table ${table} in access exclusive mode`)
  for (const { table } of forced) await owner.query(`alter table ${table} no force row level security`)
  const { count } = await owner.query(
    `create temporary table renumbered on commit drop as
       select old, (row_number() over (order by old) + 2)::text::xid8 as new
       from (${old}) as numbers where old <> '0'`,
  )
  for (const { table, column } of columns) {
    await owner.query(`update ${table} set ${column} = new from renumbered where ${column} = old`)
  }
  for (const { table } of forced) await owner.query(`alter table ${table} force row level security`)
  return count + 2
}

/** The server counts one further with every transaction: about 100 000 of them in a second. */
async function passNumber(owner: Db, last: number): Promise<void> {
  await owner.query(
    `do $do$ begin while pg_current_xact_id()::text::bigint <= ${last} loop commit; end loop; end $do$`,
  )
}
