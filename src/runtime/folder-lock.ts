import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from './errors.ts'

/** The claim of one supervisor on a data folder. It ends with the process, however that ends. */
export type FolderLock = { release(): void }

/**
 * Claims a data folder, or fails and names the process that has it. Two supervisors on one folder would replace each
 * other's files, also when their databases are different.
 */
export function takeFolderLock(dataDir: string, { pid }: { readonly pid: number }): FolderLock {
  const file = new DatabaseSync(lockFile(dataDir), { timeout: WAIT_MS })
  // The process number must be committed before others can read it, so the lock is taken twice.
  const isTaken = tryBegin(file, 'immediate') && savePid(file, pid) && tryBegin(file, 'immediate')
  if (isTaken) return { release: () => file.close() }
  const owner = pidIn(file)
  file.close()
  throw new StartError(
    `The data folder is in use by another Beckon (process ${owner}): stop that one first, or choose another BECKON_DATA_DIR.`,
  )
}

/** The process that has claimed the folder; null when none has. */
export function folderOwner(dataDir: string): number | null {
  if (!existsSync(lockFile(dataDir))) return null
  const file = new DatabaseSync(lockFile(dataDir), { timeout: 0 })
  try {
    return tryBegin(file, 'immediate') ? null : pidIn(file)
  } finally {
    file.close()
  }
}

/**
 * Begins a transaction of SQLite, which locks the file with a lock of the kernel; Node has no `flock`. Others can still
 * read a file that an `immediate` transaction has locked. False when another process has the lock.
 */
export function tryBegin(file: DatabaseSync, kind: 'immediate' | 'exclusive'): boolean {
  try {
    file.exec(`begin ${kind}`)
    return true
  } catch (cause) {
    // SQLite throws this error when another process has the lock.
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY) return false
    throw cause
  }
}

const SQLITE_BUSY = 5

/** `folderOwner` of another process has the lock for a moment. */
const WAIT_MS = 1_000

function lockFile(dataDir: string): string {
  return join(dataDir, 'beckon.lock')
}

function savePid(file: DatabaseSync, pid: number): true {
  file.exec(`pragma user_version = ${pid}; commit`)
  return true
}

function pidIn(file: DatabaseSync): number {
  return Number(file.prepare('pragma user_version').get()?.['user_version'])
}
