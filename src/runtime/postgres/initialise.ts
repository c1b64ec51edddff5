import { randomUUID } from 'node:crypto'
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode, StartError } from '../errors.ts'
import { syncFolder } from '../sync-folder.ts'
import { type Launch, pathInside, runProgram } from './program.ts'

/** The major release of the embedded PostgreSQL. */
const MAJOR = '18'

/** Whether the folder has a database. Throws for a database of another major release, which would need an upgrade. */
export async function isInitialised(folder: string): Promise<boolean> {
  const version = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(ignoreMissing)
  if (version === null) return false
  if (version.trim() === MAJOR) return true
  throw new StartError(
    `The database in ${folder} was made by PostgreSQL ${version.trim()}, and this Beckon runs ${MAJOR}: ` +
      'make a backup with the older Beckon and restore it with this one.',
  )
}

/**
 * Creates a new database. `initdb` writes to another folder, which is renamed when it is complete and on disk, so that a
 * start that is killed half-way leaves nothing that looks like a database. The caller has the start lock.
 */
export async function initialise(
  launch: Launch,
  options: { readonly folder: string; readonly password: string; readonly isThrowaway: boolean },
): Promise<void> {
  const draft = `${options.folder}${DRAFT}${randomUUID()}`
  const made = join(draft, 'data')
  await mkdir(made, { recursive: true, mode: 0o700 })
  await writeFile(join(draft, 'password'), options.password, { mode: 0o600 })
  await giveTo(launch, [draft, made, join(draft, 'password')])

  const args = ['-D', pathInside(launch, made), ...INITDB_ARGS, ...(options.isThrowaway ? ['--no-sync'] : [])]
  const { isDone, output } = await runProgram(launch, 'initdb', { folder: made, args })
  if (!isDone) throw failedInitialisation(options.folder, output)
  await rename(made, options.folder)
  await syncFolder(dirname(options.folder))
  await rm(draft, { recursive: true, force: true })
}

const DRAFT = '.new-'

/** Removes the folders of starts that were killed half-way. Their names are not used again: an orphan may still write. */
export async function removeDrafts(folder: string): Promise<void> {
  const names = await readdir(dirname(folder))
  const drafts = names.filter((name) => name.startsWith(`${basename(folder)}${DRAFT}`))
  for (const draft of drafts) {
    await rm(join(dirname(folder), draft), { recursive: true, force: true, maxRetries: 10 })
  }
}

/** PostgreSQL's own sort order, so that an index is valid on every machine. */
const INITDB_ARGS = [
  '--pwfile=../password',
  '--username=postgres',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
] as const

async function giveTo({ account }: Launch, paths: readonly string[]): Promise<void> {
  if (account === null) return
  for (const path of paths) await chown(path, account.uid, account.gid)
}

function failedInitialisation(folder: string, output: string): StartError {
  const reason =
    output.split('\n').find((line) => /error:|FATAL:/.test(line)) ?? output.trim().split('\n').at(-1)
  return new StartError(`PostgreSQL could not make a database in ${folder}: ${reason}`)
}

function ignoreMissing(cause: unknown): null {
  if (errorCode(cause) === 'ENOENT') return null
  throw cause
}
