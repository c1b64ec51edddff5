import { resolve } from 'node:path'
import { openDataFolder } from '../open-folder.ts'
import { awaitServer } from './await-server.ts'
import { findServer } from './find-server.ts'
import { loadPassword } from './password.ts'
import { type RunningPostgres, serverUrl, watchedServer } from './running-postgres.ts'
import { withStartLock } from './start-lock.ts'
import { databaseFolder, type PostgresOptions, startServer } from './start-server.ts'

/**
 * Returns a ready server on the data folder: the one that runs, or otherwise a new one, with a new database if there is
 * none. Several processes may call this at once; they get the same server.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDir = resolve(options.dataDir)
  const folder = databaseFolder(dataDir)
  await openDataFolder(dataDir)
  return withStartLock({ dataDir, signal: options.signal }, async () => {
    const running = await awaitServer(folder, options.signal)
    const server = running ?? (await startServer({ ...options, dataDir }))
    const password = await loadPassword(dataDir)
    return watchedServer(server, { dataDir, folder, password, adopted: running !== null })
  })
}

/** The URL of the server that runs on the data folder, or null; it never starts one. */
export async function findPostgres(dataDir: string): Promise<string | null> {
  const home = resolve(dataDir)
  const server = await findServer(databaseFolder(home))
  const password = await loadPassword(home)
  return server?.isReady && password !== null ? serverUrl(server, password) : null
}
