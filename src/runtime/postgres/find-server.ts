import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { loadPidFile } from './pid-file.ts'

/** A server that runs on a data folder now. `port` is null until it has opened one. */
export type PostgresServer = { readonly pid: number; readonly port: number | null; readonly isReady: boolean }

/** A server that this process started; `exited` resolves when it has ended. */
export type OwnServer = PostgresServer & { readonly exited: Promise<void> }

/**
 * The server that runs on this data folder, or null. The process number in the pid file proves nothing, since another
 * process may have it by now: the process must be a PostgreSQL whose working directory is this folder.
 */
export async function findServer(folder: string): Promise<PostgresServer | null> {
  const file = await loadPidFile(folder)
  if (file === null || !(await isServerOf(folder, file.pid))) return null
  return { pid: file.pid, port: file.port, isReady: file.status === 'ready' }
}

async function isServerOf(folder: string, pid: number): Promise<boolean> {
  return process.platform === 'linux' ? isServerByProc(folder, pid) : isServerByPs(folder, pid)
}

async function isServerByProc(folder: string, pid: number): Promise<boolean> {
  // A process that has ended has no entry.
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
  if (name.trim() !== 'postgres') return false
  const [here, there] = await Promise.all([stat(folder), stat(`/proc/${pid}/cwd`).catch(() => null)])
  // Without permission to look (in some containers), a PostgreSQL with this number counts as the server of this folder:
  // at worst a start is refused, and two servers never run on one folder.
  if (there === null) return isPresent(pid)
  return here.dev === there.dev && here.ino === there.ino
}

async function isServerByPs(folder: string, pid: number): Promise<boolean> {
  const answer = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']).catch(() => null)
  return answer !== null && answer.stdout.includes('postgres') && answer.stdout.includes(folder)
}

/** A zombie has a name and a number, but no working directory: it is not a server. */
async function isPresent(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const state = text.slice(text.lastIndexOf(')') + 2).charAt(0)
  return state !== '' && state !== 'Z' && state !== 'X'
}
