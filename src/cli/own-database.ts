import type { Config } from '../config.ts'
import { StartError } from '../runtime/errors.ts'
import { isInitialised } from '../runtime/postgres/initialise.ts'
import { findPostgres, startPostgres } from '../runtime/postgres/start-postgres.ts'
import { databaseFolder } from '../runtime/postgres/start-server.ts'
import { takeDataLock } from '../store/data-lock.ts'

type Work<Value> = (url: string) => Promise<Value>

/** Works on the database of the data folder: beside the Beckon that runs there, or else on a server just for it. */
export async function withOwnDatabase<Value>(dataDir: string, work: Work<Value>): Promise<Value> {
  const running = await findPostgres(dataDir)
  if (running !== null) return work(running)
  if (await hasDatabase(dataDir)) return withDatabaseAlone(dataDir, work)
  throw new StartError(`There is no database in ${dataDir}: npm start makes one.`)
}

/** Works on the database with no other Beckon on the data folder, and stops the server after. */
export async function withDatabaseAlone<Value>(dataDir: string, work: Work<Value>): Promise<Value> {
  const postgres = await startPostgres({ dataDir })
  // When another Beckon has the lock, this throws, and the server is theirs and stays.
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

/** Someone else's PostgreSQL is theirs to back up, with tools that also know its other databases and its roles. */
export function refuseForeign(config: Config, instead: string): void {
  if (config.databaseUrl === null) return
  throw new StartError(`DATABASE_URL is set, and backups of your own PostgreSQL are yours: use ${instead}.`)
}
