import type { Db } from './db.ts'

/**
 * Gives rows with transaction numbers (`xid8`) new ones after a restore on another server, and returns whether that
 * was necessary. Readers wait until every transaction below a number has ended. Numbers belong to a server: on a new
 * server, restored rows have numbers of its future, and readers would wait for years and miss every new row. Such rows
 * get small numbers in the same order, and the server's own number is moved past them. When nothing has to be done,
 * this costs a look at each table.
 */
export async function renumberTransactions(owner: Db): Promise<boolean> {
  const columns = await loadColumns(owner)
  if (columns.length === 0 || !(await hasFuture(owner, columns))) return false
  await owner.query('begin')
  const last = await renumber(owner, columns)
  await owner.query('commit')
  // After a kill before this line the numbers are still in the future, and the next start does all of it again.
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

/**
 * Whether a row has a number of the future. A row that this server wrote is always below the end of a snapshot that
 * sees it.
 */
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

/** Returns the highest new number. 0 means "from the beginning" and stays; PostgreSQL reserves 1 and 2. */
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

/** Moves the server's number past the last one. Each transaction moves it by one: about 100 000 in a second. */
async function passNumber(owner: Db, last: number): Promise<void> {
  await owner.query(
    `do $do$ begin while pg_current_xact_id()::text::bigint <= ${last} loop commit; end loop; end $do$`,
  )
}
