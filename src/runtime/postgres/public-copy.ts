import { randomUUID } from 'node:crypto'
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, StartError } from '../errors.ts'
import type { Binaries } from './binaries.ts'

/** Only root may write here and every user may read, so that no user can plant a program that root runs. */
export const PUBLIC_FOLDER = '/var/lib/beckon'

/** A copy of the programs that every user can read, made once per release. It appears complete, by a rename. */
export async function publicCopy({ home, release }: Binaries): Promise<string> {
  const place = join(PUBLIC_FOLDER, `postgresql-${release}`)
  if (await exists(place)) return place
  const draft = `${place}.${randomUUID()}`
  try {
    await mkdir(PUBLIC_FOLDER, { recursive: true, mode: 0o755 })
    await cp(home, draft, { recursive: true, verbatimSymlinks: true })
    await rename(draft, place)
    return place
  } catch (cause) {
    await rm(draft, { recursive: true, force: true })
    if (await exists(place)) return place // another start was quicker
    throw new StartError(
      `PostgreSQL's programs cannot be copied to ${PUBLIC_FOLDER} (${errorCode(cause)}): ` +
        'install Beckon in a folder that every user can read, or set DATABASE_URL to use your own PostgreSQL 18.',
      { cause },
    )
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}
