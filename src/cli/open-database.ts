import type { Config } from '../config.ts'
import { StartError } from '../runtime/errors.ts'
import { findPostgres } from '../runtime/postgres/start-postgres.ts'
import { Database, withOwner } from '../store/db.ts'
import { hasDroppedRows } from '../store/event-files/dropping.ts'
import { latestVersion, schemaVersion } from '../store/migrate.ts'
import { withOwnDatabase } from './own-database.ts'

/** The URL of the operator's database, or of the embedded server that runs on the data folder. */
export async function findDatabaseUrl(config: Config): Promise<string> {
  const url = config.databaseUrl ?? (await findPostgres(config.dataDir))
  if (url !== null) return url
  throw new StartError(
    `No Beckon runs on ${config.dataDir}: start it with npm start, or set DATABASE_URL to your PostgreSQL.`,
  )
}

/** Throws when the schema is older or newer than this program needs. */
export async function checkSchema(url: string): Promise<void> {
  const [found, needed] = [await withOwner(url, schemaVersion), latestVersion()]
  if (found === needed) return
  throw new StartError(
    found < needed
      ? `The database has schema ${found}, this Beckon needs ${needed}: run bin/beckon migrate.`
      : `The database has schema ${found}, this Beckon knows ${needed}: start the newer Beckon.`,
  )
}

/** Throws unless the settings let this process read events whose rows were dropped. */
export async function checkDropped(
  { eventRowsDays }: Pick<Config, 'eventRowsDays'>,
  url: string,
): Promise<void> {
  if (eventRowsDays !== null) return
  const hasDropped = await withOwner(url, async (owner) => {
    await owner.query('begin read only; set local role beckon_engine')
    return hasDroppedRows(owner)
  })
  if (!hasDropped) return
  throw new StartError(
    'Events of this database are in event files only: set BECKON_EVENT_ROWS_DAYS, and the place of the files, as before.',
  )
}

/** Runs one command on the database. An embedded server that does not run is started for the command. */
export async function withDatabaseUrl<Value>(
  { databaseUrl, dataDir }: Config,
  work: (url: string) => Promise<Value>,
): Promise<Value> {
  return databaseUrl === null ? withOwnDatabase(dataDir, work) : work(databaseUrl)
}

/** Opens the database for one command and checks its schema. */
export async function withDatabase<Value>(
  config: Config,
  work: (database: Database) => Promise<Value>,
): Promise<Value> {
  return withDatabaseUrl(config, async (url) => {
    await checkSchema(url)
    const database = new Database({ url, connectionsMax: 2, name: 'beckon command', author: 'cli' })
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  })
}
