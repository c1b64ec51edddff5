import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, StartError } from '../errors.ts'
import { findServer } from './find-server.ts'
import { withStartLock } from './start-lock.ts'
import { databaseFolder } from './start-server.ts'

/** The files of a database and the secret of its credentials. The other files of the folder stay. */
const PARTS = ['postgres', 'postgres-password', 'postgres.log', 'secret'] as const

/**
 * Moves a stopped database into a folder below its data folder, and returns that folder. Moving the parts back
 * undoes it. Nothing is deleted, and a data folder that is a mounted disk works too.
 */
export async function moveDatabaseAside(dataDir: string, name: string): Promise<string> {
  return withStartLock({ dataDir, signal: undefined }, async () => {
    if ((await findServer(databaseFolder(dataDir))) !== null) {
      throw new StartError(`A Beckon has just started on ${dataDir}: stop it first.`)
    }
    const aside = join(dataDir, name)
    await mkdir(aside, { mode: 0o700 })
    for (const part of PARTS) await rename(join(dataDir, part), join(aside, part)).catch(ignoreMissing)
    return aside
  })
}

function ignoreMissing(cause: unknown): void {
  if (errorCode(cause) !== 'ENOENT') throw cause
}
