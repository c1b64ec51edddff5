import type { Config } from '../config.ts'
import { StartError } from '../runtime/errors.ts'
import { isInitialised } from '../runtime/postgres/initialise.ts'
import { findPostgres, startPostgres } from '../runtime/postgres/start-postgres.ts'
import { databaseFolder } from '../runtime/postgres/start-server.ts'
import { takeDataLock } from '../store/data-lock.ts'

type Work<Value> = (url: string) => Promise<Value>

/** Works on the embedded database: on the server that runs, or on a server that is started for this work. */
export async function withOwnDatabase<Value>(dataDir: string, work: Work<Value>): Promise<Value> {
  const running = await findPostgres(dataDir)
  if (running !== null) return work(running)
  if (await hasDatabase(dataDir)) return withDatabaseAlone(dataDir, work)
  throw new StartError(`There is no database in ${dataDir}: npm start makes one.`)
}

/** Works on the embedded database while no other Beckon uses the data folder, and stops the server afterwards. */
export async function withDatabaseAlone<Value>(dataDir: string, work: Work<Value>): Promise<Value> {
  const postgres = await startPostgres({ dataDir })
  // This throws when another Beckon has the lock; the server belongs to that Beckon and stays running.
  await takeDataLock(postgres.url, { pid: process.pid })
  try {
    return await work(postgres.url)
  } finally {
    await postgres.stop()
  }
}

export async function hasDatabase(dataDir: string): Promise<boolean> {
  return isInitialised(databaseFolder(dataDir))
}

/** The operator's PostgreSQL has other databases and roles, so its own tools make its backups. */
export function refuseForeign(config: Config): void {
  if (config.databaseUrl === null) return
  throw new StartError('DATABASE_URL is set, and Beckon does not back up your own PostgreSQL: use pg_dump.')
}
