import { setTimeout as wait } from 'node:timers/promises'
import { errorCode, StartError } from '../runtime/errors.ts'
import { type Db, withOwner } from './db.ts'
import { hasMigrations } from './foreign-database.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { ensureRoles } from './roles.ts'
import { SESSION_LOCKS } from './session-locks.ts'
import { renumberTransactions } from './transaction-numbers.ts'

export type MigrateOptions = {
  /** Stops after this version: a backup is restored into the schema it was made with. */
  readonly upTo?: number
  /** For tests. Otherwise the files of this program. */
  readonly migrations?: readonly Migration[]
  /** Called before each step, so that the terminal can name a long one. */
  readonly onStep?: (step: { readonly version: number; readonly name: string }) => void
}

/**
 * Brings a database to the newest schema, forward only, and returns its version. Each file is one transaction, so a
 * kill leaves whole steps. An advisory lock makes processes that start together wait.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<number> {
  const known = options.migrations ?? readMigrations()
  return withOwner(url, async (session) => {
    await refuseOldServer(session)
    await session.query(`set search_path = public; set lock_timeout = '${LOCK_WAIT}'`)
    await waitForTurn(session)
    const applied = await loadApplied(session)
    refuseStrangers(applied, known)
    await ensureRoles(session, url)
    const upTo = options.upTo ?? known.length
    const missing = known.slice(applied.length, upTo)
    for (const step of missing) {
      options.onStep?.(step)
      await apply(session, step)
    }
    await renumberTransactions(session)
    return applied.length + missing.length
  })
}

/** The version of a database's schema; 0 for a database without one. */
export async function schemaVersion(db: Db): Promise<number> {
  return (await loadApplied(db)).length
}

/** The version this program needs. */
export function latestVersion(): number {
  return readMigrations().length
}

const LOCK_WAIT = '5min'
const LOCK_NOT_AVAILABLE = '55P03'
const SERVER_VERSION_MIN = 18

async function refuseOldServer(session: Db): Promise<void> {
  const { rows } = await session.query<{ server_version: string }>('show server_version')
  const version = rows[0]?.server_version ?? ''
  if (Number.parseInt(version, 10) >= SERVER_VERSION_MIN) return
  throw new StartError(
    `Beckon needs PostgreSQL ${SERVER_VERSION_MIN} or newer; the database server is ${version}.`,
  )
}

/** This catches the error because a lock that never comes free has one likely cause, which a person can look for. */
async function waitForTurn(session: Db): Promise<void> {
  await session.query('select pg_advisory_lock($1, $2)', SESSION_LOCKS.migration).catch((cause: unknown) => {
    if (errorCode(cause) !== LOCK_NOT_AVAILABLE) throw cause
    throw new StartError(
      `Another Beckon has been migrating this database for ${LOCK_WAIT}; look after it first.`,
      {
        cause,
      },
    )
  })
}

type Applied = { readonly version: number; readonly name: string; readonly sha256: string }

async function loadApplied(db: Db): Promise<readonly Applied[]> {
  if (!(await hasMigrations(db))) return []
  const { rows } = await db.query<Applied>(
    `select version, name, encode(sha256, 'hex') as sha256 from public.schema_migrations order by version`,
  )
  return rows
}

function refuseStrangers(applied: readonly Applied[], known: readonly Migration[]): void {
  if (applied.length > known.length)
    throw new StartError(
      `The database has schema ${applied.length}, this Beckon knows ${known.length}: start the newer Beckon, or restore an older backup.`,
    )
  const changed = applied.find((step, index) => step.sha256 !== known[index]?.sha256)
  if (changed === undefined) return
  throw new StartError(
    `Migration ${changed.version} (${changed.name}) is not the file this database was made with: put the released file back.`,
  )
}

/**
 * Applies one step while other processes work. It waits for its locks only briefly and tries again, because all
 * statements on a table queue behind a step that waits for it. Any other failure ends the session, and with it the open transaction.
 */
async function apply(session: Db, step: Migration): Promise<void> {
  for (let triesLeft = STEP_TRIES; ; triesLeft -= 1) {
    try {
      return await applyOnce(session, step)
    } catch (cause) {
      if (errorCode(cause) !== LOCK_NOT_AVAILABLE || triesLeft === 0) throw cause
      await session.query('rollback')
      await wait(STEP_PAUSE_MS)
    }
  }
}

/**
 * More than the `deadlock_timeout` of PostgreSQL, which is one second: only after it does a wait end an autovacuum that is in the way. With the
 * same time the wait is given up first, and an autovacuum of a large table takes hours.
 */
const STEP_LOCK_WAIT = '1500ms'
const STEP_PAUSE_MS = 1_000
const STEP_TRIES = 120

async function applyOnce(session: Db, step: Migration): Promise<void> {
  await session.query(`begin; set local lock_timeout = '${STEP_LOCK_WAIT}'`)
  await session.query(step.sql)
  await session.query(
    `insert into schema_migrations (version, name, sha256) values ($1, $2, decode($3, 'hex'))`,
    [step.version, step.name, step.sha256],
  )
  await session.query('commit')
}
