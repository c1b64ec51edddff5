import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResultReader,
  StatementType,
} from '@duckdb/node-api'
import { reasonOf } from '../errors.ts'
import { keptMib, statementMib } from './memory.ts'
import {
  type DuckDbPlan,
  type DuckDbReply,
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
  let { database, connection } = await openDatabase(plan)
  const keptMibMax = keptMib(plan.memoryMib, rssMib())
  let isRunning = false
  let interrupting: NodeJS.Timeout | undefined
  process.on('message', (message: MessageToDuckDb) => {
    clearInterval(interrupting)
    if (message.kind === 'interrupt') {
      // An interrupt that comes before the statement has begun to run is lost, so it is repeated.
      if (isRunning) interrupting = setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS)
      return
    }
    isRunning = true
    const telling = message.tellsProgress
      ? setInterval(() => tellProgress(connection, message), PROGRESS_EVERY_MS)
      : undefined
    void (async () => {
      const reply = await answer(connection, plan.access, message)
      clearInterval(telling)
      clearInterval(interrupting)
      isRunning = false
      // A database keeps most of the memory that it ever had. Only one that reads has nothing that would be lost. The caller has the
      // reply before, because closing and opening take 40 ms. If no other database can be opened, the process ends.
      const rests = plan.access === 'read' && rssMib() > keptMibMax
      tell({ ...reply, rests })
      if (!rests) return
      connection.disconnectSync()
      database.closeSync()
      ;({ database, connection } = await openDatabase(plan))
      tell({ kind: 'rested', isWorn: rssMib() > keptMibMax })
    })()
  })
  tell({ kind: 'ready' })
}

const MEMORY_LOOK_MS = 100
const INTERRUPT_EVERY_MS = 20
const PROGRESS_EVERY_MS = 250

function endIfLarge(memoryMib: number): void {
  if (rssMib() > memoryMib) process.exit(EXIT_MEMORY)
}

function rssMib(): number {
  return process.memoryUsage.rss() / 1_048_576
}

/** The most that statements put on the disk when their memory is full. */
const SPILLED_GIB_MAX = 2

type OpenDatabase = { readonly database: DuckDBInstance; readonly connection: DuckDBConnection }

/**
 * Opens a database in memory that can open no file outside of its folders, and loads and downloads no extension. What does not
 * fit into its memory goes to the scratch folder, if it has one; the parent removes what a killed process leaves there. The last setting locks the others.
 */
async function openDatabase(plan: DuckDbPlan): Promise<OpenDatabase> {
  const { folder, scratch, threads, access } = plan
  const database = await DuckDBInstance.create(':memory:', {
    memory_limit: `${statementMib(plan)}MiB`,
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
  if (access === 'read') await connection.run(JOINS_AS_WRITTEN)
  for (const setting of LOCKS) await connection.run(setting)
  return { database, connection }
}

/**
 * The right side of a join is the one that is held in memory. Files do not tell how many people are in them, so that DuckDB would
 * often take the events for the smaller side. The statements put the people there.
 */
const JOINS_AS_WRITTEN = `set disabled_optimizers = 'join_order,build_side_probe_side'`

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
): Promise<DuckDbReply> {
  try {
    const rows = await (access === 'read' ? readSelect : readLast)(connection, statement, rowsMax + 1)
    if (rows === null) return { kind: 'trouble', id, trouble: 'refused', message: 'only one select is run' }
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

type Rows = ReturnType<DuckDBResultReader['getRowsJson']>

/** The rows of a text that may have several statements: those of the last one. */
async function readLast(
  connection: DuckDBConnection,
  { sql, values = [] }: DuckDbStatement,
  rowsMax: number,
): Promise<Rows> {
  // A reader that is told to stop early has read a little more than that, and not the whole answer.
  const reader = await connection.streamAndReadUntil(sql, rowsMax, [...values])
  return reader.getRowsJson()
}

/**
 * The rows of a text that is one statement that selects; null for any other. Its first word is looked at before DuckDB prepares it,
 * because preparing an `export database` makes a folder. The kind that DuckDB reports tells a `with … insert` from a `with … select`.
 */
async function readSelect(
  connection: DuckDBConnection,
  { sql, values = [] }: DuckDbStatement,
  rowsMax: number,
): Promise<Rows | null> {
  if (!/^\s*(?:select|with)\b/i.test(sql)) return null
  const statements = await connection.extractStatements(sql)
  if (statements.count !== 1) return null
  const prepared = await statements.prepare(0)
  try {
    if (prepared.statementType !== StatementType.SELECT) return null
    prepared.bind([...values])
    // The whole answer is in memory. The stream of a part would keep its database, and the files it put on the disk, beyond its end.
    const reader = await prepared.runAndReadUntil(rowsMax)
    return reader.getRowsJson()
  } finally {
    // A statement that is prepared has all its files open: those of a year take 70 MiB.
    prepared.destroySync()
  }
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
