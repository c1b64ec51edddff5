import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openDataFolder } from '../open-folder.ts'
import { StartError } from '../start-error.ts'
import { bringUp, databaseFolder, type StartOptions } from './bring-up.ts'
import { findServer, type Server } from './find-server.ts'
import { addressOf, offer, type Postgres } from './offer.ts'
import { loadPassword } from './password.ts'
import { withStartLock } from './start-lock.ts'

/**
 * Gives a server on the data folder that takes connections: the one that runs there, else a new one, on a new
 * database if there is none. Safe to call from several processes at once; they get the same server.
 */
export async function startPostgres(options: StartOptions): Promise<Postgres> {
  const dataDir = resolve(options.dataDir)
  const folder = databaseFolder(dataDir)
  await openDataFolder(dataDir)
  return withStartLock({ dataDir, signal: options.signal }, async () => {
    const running = await untilSettled(folder, options.signal)
    const server = running ?? (await bringUp({ ...options, dataDir }))
    const password = await loadPassword(dataDir)
    return offer(server, { dataDir, folder, password, adopted: running !== null })
  })
}

/** The address of the server that runs on the data folder, or null; for those who must not start one. */
export async function findPostgres(dataDir: string): Promise<string | null> {
  const home = resolve(dataDir)
  const server = await findServer(databaseFolder(home))
  const password = await loadPassword(home)
  return server?.isReady && password !== null ? addressOf(server, password) : null
}

const SETTLE_MAX_MS = 10 * 60_000
const POLL_MS = 50

/** A server on its way up becomes ready, one on its way down goes; neither is worth a second one beside it. */
async function untilSettled(folder: string, signal: AbortSignal | undefined): Promise<Server | null> {
  const giveUpAt = performance.now() + SETTLE_MAX_MS
  while (performance.now() < giveUpAt) {
    const server = await findServer(folder)
    if (server === null || server.isReady) return server
    signal?.throwIfAborted()
    await wait(POLL_MS)
  }
  throw new StartError(
    `The PostgreSQL on ${folder} has neither become ready nor ended for 10 minutes: see postgres.log.`,
  )
}
