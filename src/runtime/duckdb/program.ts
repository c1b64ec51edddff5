import { type DuckDBConnection, DuckDBInstance, StatementType } from '@duckdb/node-api'
import { reasonOf } from '../errors.ts'
import {
  type DuckDbPlan,
  type DuckDbStatement,
  type DuckDbTrouble,
  EXIT_MEMORY,
  type MessageFromDuckDb,
  type MessageToDuckDb,
} from './messages.ts'
import { spilledFolder } from './spilled.ts'

/**
 * The program of a DuckDB process. Its parent sends one statement at a time. Statements run on DuckDB's own threads, so
 * that this one can interrupt them, watch the memory, and end the process when its parent is gone.
 */
async function main(plan: DuckDbPlan): Promise<void> {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  setInterval(() => endIfLarge(plan.memoryMib), MEMORY_LOOK_MS)
  const connection = await openConnection(plan)
  let interrupting: NodeJS.Timeout | undefined
  process.on('message', (message: MessageToDuckDb) => {
    clearInterval(interrupting)
    if (message.kind === 'interrupt') {
      // An interrupt that comes before the statement has begun to run is lost, so it is repeated.
      interrupting = setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS)
      return
    }
    const telling = message.tellsProgress
      ? setInterval(() => tellProgress(connection, message), PROGRESS_EVERY_MS)
      : undefined
    void (async () => {
      const reply = await answer(connection, plan.access, message)
      clearInterval(interrupting)
      clearInterval(telling)
      tell(reply)
    })()
  })
  tell({ kind: 'ready' })
}

const MEMORY_LOOK_MS = 100
const INTERRUPT_EVERY_MS = 20
const PROGRESS_EVERY_MS = 250

function endIfLarge(memoryMib: number): void {
  if (process.memoryUsage.rss() > memoryMib * MIB) process.exit(EXIT_MEMORY)
}

const MIB = 1024 * 1024

/** Node with DuckDB loaded takes about this much before the first statement. */
const BASE_MIB = 128

/** A part of DuckDB's memory is not counted by its own limit: buffers of readers and writers, long texts. */
const COUNTED_SHARE = 0.8

/** The most that statements put on the disk when their memory is full. */
const SPILLED_GIB_MAX = 2

/**
 * Opens a database in memory that can open no file outside of its folders, and loads and downloads no extension. What does not
 * fit into its memory goes to the scratch folder, if it has one; the parent removes what a killed process leaves there. The last setting locks the others.
 */
async function openConnection(plan: DuckDbPlan): Promise<DuckDBConnection> {
  const { folder, scratch, memoryMib, threads, access } = plan
  const database = await DuckDBInstance.create(':memory:', {
    memory_limit: `${Math.floor((memoryMib - BASE_MIB) * COUNTED_SHARE)}MiB`,
    threads: String(threads),
    temp_directory: scratch === undefined ? '' : spilledFolder(scratch, process.pid),
    ...(scratch === undefined ? {} : { max_temp_directory_size: `${SPILLED_GIB_MAX}GiB` }),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    // A file is written in the order of its rows; an answer without an order may come faster in any.
    preserve_insertion_order: access === 'write' ? 'true' : 'false',
  })
  const connection = await database.connect()
  // The settings take a list only as a statement, and the folder is the operator's text.
  const folders = [folder, ...(scratch === undefined ? [] : [scratch])]
  await connection.run(`set allowed_directories = [${folders.map(quoted).join(', ')}]`)
  for (const setting of LOCKS) await connection.run(setting)
  return connection
}

const LOCKS = [
  // DuckDB estimates how far a statement is only if it is told to.
  'set enable_progress_bar = true',
  'set enable_progress_bar_print = false',
  // Without it, the zone of the machine decides what a day is.
  `set TimeZone = 'UTC'`,
  'set enable_external_access = false',
  'set lock_configuration = true',
]

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

type Run = Extract<MessageToDuckDb, { kind: 'run' }>

async function answer(
  connection: DuckDBConnection,
  access: DuckDbPlan['access'],
  { id, statement, rowsMax }: Run,
): Promise<MessageFromDuckDb> {
  try {
    if (access === 'read' && !(await isSelect(connection, statement))) {
      return { kind: 'trouble', id, trouble: 'refused', message: 'only one select is run' }
    }
    // A reader that is told to stop early has read a little more than that, and not the whole answer.
    const reader = await connection.streamAndReadUntil(statement.sql, rowsMax + 1, [
      ...(statement.values ?? []),
    ])
    const rows = reader.getRowsJson()
    if (rows.length > rowsMax)
      return { kind: 'trouble', id, trouble: 'rows', message: `more than ${rowsMax} rows` }
    return { kind: 'answer', id, rows }
  } catch (cause) {
    // This is the worker loop of the process: the parent turns the message into an error again.
    // Its further lines quote the statement or a line of a file, and messages reach logs.
    const [message = ''] = reasonOf(cause).split('\n', 1)
    return { kind: 'trouble', id, trouble: troubleOf(message), message }
  }
}

/** DuckDB says -1 before it knows. */
function tellProgress(connection: DuckDBConnection, { id }: Run): void {
  const { percentage } = connection.progress
  if (percentage >= 0) tell({ kind: 'progress', id, share: Math.min(1, percentage / 100) })
}

/**
 * Whether the text is one statement that selects. Its first word is looked at before DuckDB prepares it, because preparing an
 * `export database` makes a folder. The kind that DuckDB reports tells a `with … insert` from a `with … select`.
 */
async function isSelect(connection: DuckDBConnection, { sql }: DuckDbStatement): Promise<boolean> {
  if (!/^\s*(?:select|with)\b/i.test(sql)) return false
  const statements = await connection.extractStatements(sql)
  if (statements.count !== 1) return false
  const { statementType } = await statements.prepare(0)
  return statementType === StatementType.SELECT
}

/** DuckDB tells its kinds of errors apart by the first words of the message. */
const TROUBLES: readonly (readonly [string, DuckDbTrouble])[] = [
  ['Out of Memory Error', 'memory'],
  ['INTERRUPT Error', 'interrupted'],
  ['Permission Error', 'refused'],
]

function troubleOf(message: string): DuckDbTrouble {
  return TROUBLES.find(([words]) => message.startsWith(words))?.[1] ?? 'failed'
}

function tell(message: MessageFromDuckDb): void {
  // The parent may be gone; then `disconnect` ends this process.
  process.send?.(message, () => undefined)
}

const [, , plan = ''] = process.argv
await main(JSON.parse(plan))
