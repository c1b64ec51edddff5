import { resolve } from 'node:path'
import { openDataFolder } from '../open-folder.ts'
import { awaitServer } from './await-server.ts'
import { findServer } from './find-server.ts'
import { loadPassword } from './password.ts'
import { type RunningPostgres, serverUrl, watchedServer } from './running-postgres.ts'
import { withStartLock } from './start-lock.ts'
import { databaseFolder, type PostgresOptions, startServer } from './start-server.ts'

/**
 * Gives a server on the data folder that takes connections: the one that runs there, else a new one, on a new
 * database if there is none. Safe to call from several processes at once; they get the same server.
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

/** The address of the server that runs on the data folder, or null; for those who must not start one. */
export async function findPostgres(dataDir: string): Promise<string | null> {
  const home = resolve(dataDir)
  const server = await findServer(databaseFolder(home))
  const password = await loadPassword(home)
  return server?.isReady && password !== null ? serverUrl(server, password) : null
}
