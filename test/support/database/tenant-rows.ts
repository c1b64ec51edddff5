import { type Db, withOwner } from '../../../src/store/db.ts'

export type TenantTable = {
  readonly name: string
  /** The column that holds the brand: `id` in `brands`, `brand_id` everywhere else. */
  readonly brandColumn: string
  /** Columns a row cannot do without, each with an SQL expression for a value. */
  readonly values: Readonly<Record<string, string>>
  /** What beckon_app may do here; updates only to these columns. */
  readonly canSelect: boolean
  readonly canDelete: boolean
  readonly updatable: readonly string[]
}

/** Every table that belongs to a brand, read from the catalogue, so that a new one is tested on its first day. */
export async function loadTenantTables(owner: Db): Promise<readonly TenantTable[]> {
  const { rows: columns } = await owner.query<Column>(COLUMNS)
  const names = [...new Set(columns.map(({ table }) => table))]
  return names.map((name) =>
    toTable(
      name,
      columns.filter(({ table }) => table === name),
    ),
  )
}

/** One row of each brand in every table but `brands`. The owner is a superuser, so neither policies nor keys interfere. */
export async function fillTenantTables(url: string, brandIds: readonly number[]): Promise<void> {
  await withOwner(url, async (owner) => {
    const tables = await loadTenantTables(owner)
    await owner.query('set session_replication_role = replica')
    for (const table of tables.filter(({ name }) => name !== 'brands'))
      for (const brandId of brandIds)
        await owner.query(insertInto(table, brandId)).catch((cause: unknown) => {
          throw new Error(`give ${table.name} a fitting row in test/support/database/tenant-rows.ts`, {
            cause,
          })
        })
  })
}

export function insertInto({ name, brandColumn, values }: TenantTable, brandId: number): string {
  const columns = [brandColumn, ...Object.keys(values)]
  return `insert into ${name} (${columns.join(', ')}) values (${[brandId, ...Object.values(values)].join(', ')})`
}

/** Values that a column's type alone does not suggest, since a constraint wants something in particular. */
const SPECIAL: Readonly<Record<string, string>> = {
  'enrolments.state': `'completed'`,
  'event_file_weeks.end_id': '2',
  'event_files.end_id': '2',
  // A brand of a test has keys with the first numbers already.
  'api_keys.id': '(random() * 1e9)::integer + 1000',
  'api_keys.hash': 'sha256(gen_random_uuid()::text::bytea)',
  'subscriptions.address_hash': 'sha256(gen_random_uuid()::text::bytea)',
}

const BY_TYPE: Readonly<Record<string, string>> = {
  bigint: '1',
  'bigint[]': `'{}'`,
  boolean: 'false',
  bytea: `'\\x00'`,
  date: 'current_date',
  integer: '1',
  json: `'{}'`,
  jsonb: `'{}'`,
  numeric: '1',
  real: '1',
  smallint: '1',
  text: `'example'`,
  'text[]': `'{}'`,
  'timestamp with time zone': 'now()',
  uuid: 'gen_random_uuid()',
  'uuid[]': `'{}'`,
  xid8: `'1'`,
}

type Column = {
  readonly table: string
  readonly column: string
  readonly type: string
  /** The first of the words a check constraint allows, if it lists some. */
  readonly firstWord: string | null
  readonly isRequired: boolean
  readonly canSelect: boolean
  readonly canUpdate: boolean
  readonly canDelete: boolean
}

/** A partition that nobody was granted is reached through its parent only, and is tested there. */
const COLUMNS = `select relname as table, attname as column, format_type(atttypid, atttypmod) as type,
    (select min((regexp_match(pg_get_constraintdef(pg_constraint.oid), 'ARRAY\\[(''[^'']*'')'))[1])
      from pg_constraint where conrelid = attrelid and contype = 'c' and conkey = array[attnum]) as "firstWord",
    attnotnull and not atthasdef and attidentity = '' as "isRequired",
    has_column_privilege('beckon_app', pg_class.oid, attnum, 'select') as "canSelect",
    has_column_privilege('beckon_app', pg_class.oid, attnum, 'update') as "canUpdate",
    has_table_privilege('beckon_app', pg_class.oid, 'delete') as "canDelete"
  from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and not (relispartition and relacl is null)
    and (relname = 'brands' or exists (
      select from pg_attribute where attrelid = pg_class.oid and attname = 'brand_id'))
  order by relname, attnum`

function toTable(name: string, columns: readonly Column[]): TenantTable {
  const brandColumn = name === 'brands' ? 'id' : 'brand_id'
  const required = columns.filter(({ column, isRequired }) => isRequired && column !== brandColumn)
  return {
    name,
    brandColumn,
    values: Object.fromEntries(required.map((column) => [column.column, exampleOf(column)])),
    canSelect: columns.some(({ column, canSelect }) => column === brandColumn && canSelect),
    canDelete: columns.some(({ canDelete }) => canDelete),
    updatable: columns.filter(({ canUpdate }) => canUpdate).map(({ column }) => column),
  }
}

function exampleOf({ table, column, type, firstWord }: Column): string {
  const example = SPECIAL[`${table}.${column}`] ?? firstWord ?? BY_TYPE[type]
  if (example === undefined)
    throw new Error(`add an example of ${table}.${column} (${type}) to tenant-rows.ts`)
  return example
}
