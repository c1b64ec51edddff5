import { pipeline } from 'node:stream/promises'
import { errorCode, StartError } from '../../runtime/errors.ts'
import { type Db, type OwnerSession, withOwner } from '../db.ts'
import { latestVersion, migrate } from '../migrate.ts'
import { type Migration, readMigrations } from '../migration-files.ts'
import { holdSending } from '../push/sending-hold.ts'
import { loadPartitions, loadTables, type Partition, type Sequence, type Table } from './catalogue.ts'
import type { Head } from './notes.ts'
import { type CopyMeter, type OnProgress, startMeter } from './progress.ts'
import { readBackup } from './reader.ts'

/**
 * Reads a backup to its end without using it, so that a damaged or newer backup is refused before anything is changed.
 */
export async function checkBackup(file: string): Promise<Head> {
  const heads: Head[] = []
  await readBackup(file, {
    head: async (head) => void heads.push(head),
    table: async (_name, rows) => countLines(rows),
    tail: async () => undefined,
  })
  const [head] = heads
  if (head === undefined) throw new StartError(`The file ${file} holds no backup.`)
  if (head.schemaVersion <= latestVersion()) return head
  throw new StartError(
    `The backup ${file} has schema ${head.schemaVersion}, this Beckon knows ${latestVersion()}: restore it with the newer Beckon.`,
  )
}

/** Whether the database has no brand. Every other row belongs to one. */
export async function isBlank(url: string): Promise<boolean> {
  return withOwner(url, async (session) => {
    const { rows } = await session.query<{ brands: string | null }>(
      `select to_regclass('public.brands') as brands`,
    )
    if (rows[0]?.brands === null) return true
    // Row-level security hides the brands from their owner, unless the owner is a superuser.
    await session.query('begin; set local role beckon_engine')
    const { count } = await session.query('select from brands limit 1')
    await session.query('commit')
    return count === 0
  })
}

export type RestoreOptions = {
  readonly file: string
  readonly head: Head
  readonly onProgress: OnProgress
  /** Whether sending is on hold afterwards, until the operator resumes it. */
  readonly isHeld: boolean
  /** For tests. Otherwise the files of this program. */
  readonly migrations?: readonly Migration[]
}

/**
 * Fills a blank database from a checked backup: first the schema that the backup was made with, then the rows in one
 * transaction, then the migrations to the newest schema. A kill at any point leaves a blank database, and the restore
 * can be run again.
 */
export async function loadBackup(url: string, options: RestoreOptions): Promise<void> {
  const migrations = options.migrations ?? readMigrations()
  await migrate(url, { migrations, upTo: options.head.schemaVersion })
  await withOwner(url, async (session) => {
    await session.query('begin')
    await session.query('set local session_replication_role = replica').catch(explainPrivilege)
    await shapePartitions(session, options.head.partitions)
    const forced = await loadForced(session)
    for (const table of forced) await session.query(`alter table ${table} no force row level security`)
    await loadRows(session, options)
    for (const table of forced) await session.query(`alter table ${table} force row level security`)
    if (options.isHeld) await holdFromNowOn(session)
    await session.query('commit')
    await session.query('analyze')
  })
  await migrate(url, { migrations })
}

/** The rows are in their tables, so triggers may run again: the hold has its line in the audit log. */
async function holdFromNowOn(session: Db): Promise<void> {
  await session.query(
    'set local session_replication_role = origin; set local beckon.actor = cli; set local role beckon_engine',
  )
  await holdSending(session)
}

/** The tables whose row-level security binds their owner too. PostgreSQL copies no rows into a table for somebody whom it binds. */
async function loadForced(session: Db): Promise<readonly string[]> {
  const { rows } = await session.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relforcerowsecurity and relkind in ('r', 'p') order by 1`,
  )
  return rows.map(({ name }) => name)
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** This catches the error because the refusal has one known remedy. Triggers must not run while rows are copied. */
function explainPrivilege(cause: unknown): never {
  if (errorCode(cause) !== INSUFFICIENT_PRIVILEGE) throw cause
  throw new StartError(
    'The database user may not restore. Let an administrator run: grant set on parameter session_replication_role to <user>;',
    { cause },
  )
}

/**
 * Drops partitions that the backup does not have, and makes the missing ones. Parts are dropped before their parents.
 */
async function shapePartitions(session: Db, wanted: readonly Partition[]): Promise<void> {
  const present = await loadPartitions(session)
  const known = new Set(present.map(identify))
  const needed = new Set(wanted.map(identify))
  const strange = present.filter((partition) => !needed.has(identify(partition)))
  const missing = wanted.filter((partition) => !known.has(identify(partition)))
  for (const { name } of strange.toReversed()) await session.query(`drop table if exists ${name}`)
  for (const partition of missing) {
    await session.query(createPartition(partition))
    await copyStatisticsTargets(session, partition)
  }
}

/** Columns without statistics (decision 0035) have none in a partition either: `partition of` does not copy that. */
async function copyStatisticsTargets(session: Db, { name, parent }: Partition): Promise<void> {
  const { rows } = await session.query<{ column: string; target: number }>(
    `select quote_ident(attname) as column, attstattarget as target from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and attstattarget is not null`,
    [parent],
  )
  for (const { column, target } of rows) {
    await session.query(`alter table ${name} alter column ${column} set statistics ${target}`)
  }
}

function identify({ name, parent, bound, key }: Partition): string {
  return [name, parent, bound, key].join(' ')
}

function createPartition(partition: Partition): string {
  const { name, parent, bound, key, options, rowSecurity, forceRowSecurity } = partition
  const divided = key === null ? '' : ` partition by ${key}`
  const tuned = options === null ? '' : ` with (${options})`
  return [
    `create table ${name} partition of ${parent} ${bound}${divided}${tuned}`,
    ...(rowSecurity ? [`alter table ${name} enable row level security`] : []),
    ...(forceRowSecurity ? [`alter table ${name} force row level security`] : []),
  ].join('; ')
}

async function loadRows(session: OwnerSession, { file, onProgress }: RestoreOptions): Promise<void> {
  const tables = new Map<string, Table>()
  await readBackup(file, {
    head: async (head) => {
      await emptyTables(session)
      for (const table of head.tables) tables.set(table.name, table)
    },
    table: async (name, rows) =>
      loadTable(session, { table: tables.get(name) ?? unknownTable(name), rows, onProgress }),
    tail: async ({ sequences }) => setSequences(session, sequences),
  })
}

/**
 * Empties all tables: rows that a migration inserted are in the backup too. Tables that were emptied in the same
 * transaction are filled without a log of every row.
 */
async function emptyTables(session: Db): Promise<void> {
  const names = (await loadTables(session)).map(({ name }) => name)
  if (names.length > 0) await session.query(`truncate ${names.join(', ')} restart identity`)
}

async function loadTable(
  session: OwnerSession,
  load: {
    readonly table: Table
    readonly rows: AsyncIterable<Uint8Array>
    readonly onProgress: OnProgress
  },
): Promise<number> {
  const { name, columns } = load.table
  const meter = startMeter(name, load.onProgress)
  const target = session.copyIn(`copy ${name} (${columns.join(', ')}) from stdin`)
  await pipeline(load.rows, metered(meter), target)
  meter.end(target.rowCount)
  return target.rowCount
}

function metered(meter: CopyMeter) {
  return async function* pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      meter.add(chunk.byteLength)
      yield chunk
    }
  }
}

async function setSequences(session: Db, sequences: readonly Sequence[]): Promise<void> {
  for (const { name, value } of sequences) {
    if (value !== null) await session.query('select setval($1::regclass, $2::bigint)', [name, value])
  }
}

function unknownTable(name: string): never {
  throw new Error(`this backup has rows for ${name} and does not describe it`)
}

const NEWLINE = 0x0a

/** Counts rows. In the text that `copy` writes, a line break ends a row and occurs nowhere else. */
async function countLines(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let lines = 0
  for await (const chunk of chunks) {
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1
  }
  return lines
}
