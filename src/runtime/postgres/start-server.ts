import { join } from 'node:path'
import { StartError } from '../errors.ts'
import { locateBinaries } from './binaries.ts'
import { chownDataFolder } from './chown-data-folder.ts'
import type { OwnServer, PostgresServer } from './find-server.ts'
import { initialise, isInitialised, removeDrafts } from './initialise.ts'
import { chooseLaunch } from './launch.ts'
import { loadPassword, makePassword } from './password.ts'
import { loadPidFile } from './pid-file.ts'
import type { Launch } from './program.ts'
import { type PostgresSettings, planSettings, saveSettings, usableMemoryBytes } from './settings.ts'
import { spawnUntilReady } from './spawn-until-ready.ts'

export type PostgresOptions = {
  /** The data folder; the database is in its folder `postgres`. */
  readonly dataDir: string
  readonly signal?: AbortSignal | undefined
  /** For tests, which need no durable data: settings that replace the safe ones, and no waiting for disks. */
  readonly throwaway?: PostgresSettings | undefined
}

/** The data directory of PostgreSQL. */
export function databaseFolder(dataDir: string): string {
  return join(dataDir, 'postgres')
}

/** Starts a server, and creates the database first if there is none. The caller has the start lock. */
export async function startServer(options: PostgresOptions): Promise<PostgresServer | OwnServer> {
  const { dataDir, signal, throwaway } = options
  const folder = databaseFolder(dataDir)
  const launch = await chooseLaunch(await locateBinaries(), folder)
  await makeDatabase(launch, { dataDir, isThrowaway: throwaway !== undefined })
  await chownDataFolder(launch, folder)

  const preferredPort = (await loadPidFile(folder))?.port ?? null
  await saveSettings(folder, { ...planSettings({ memoryBytes: usableMemoryBytes() }), ...throwaway })
  return spawnUntilReady(launch, { dataDir, folder, preferredPort, signal })
}

async function makeDatabase(
  launch: Launch,
  { dataDir, isThrowaway }: { readonly dataDir: string; readonly isThrowaway: boolean },
): Promise<void> {
  const folder = databaseFolder(dataDir)
  await removeDrafts(folder)
  if (!(await isInitialised(folder))) {
    await initialise(launch, { folder, password: await makePassword(dataDir), isThrowaway })
    return
  }
  if ((await loadPassword(dataDir)) !== null) return
  throw new StartError(
    `The file postgres-password is missing in ${dataDir}: put it back, it opens the database there.`,
  )
}
