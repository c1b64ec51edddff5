import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '../errors.ts'
import type { OsAccount } from './accounts.ts'

/** How PostgreSQL's programs are run: their folder, a command before them, and their user (null: this process's user). */
export type Launch = {
  readonly home: string
  readonly prefix: readonly string[]
  readonly account: Pick<OsAccount, 'uid' | 'gid'> | null
}

/** `isBarred`: the user may not read a folder on the path of the program. */
export type ProgramOutcome = { readonly isDone: boolean; readonly isBarred: boolean; readonly output: string }

const PROGRAM_TIMEOUT_MS = 300_000

/** Runs a program of PostgreSQL to its end, inside `folder`. */
export async function runProgram(
  launch: Launch,
  program: string,
  options: { readonly folder: string; readonly args: readonly string[] },
): Promise<ProgramOutcome> {
  const [file, args] = commandLine(launch, program, options.args)
  const place = { ...identityOf(launch), cwd: options.folder, env: ENVIRONMENT, timeout: PROGRAM_TIMEOUT_MS }
  try {
    const { stdout, stderr } = await promisify(execFile)(file, args, place)
    return { isDone: true, isBarred: false, output: `${stdout}${stderr}` }
  } catch (cause) {
    // A failure is an answer: a trial run shows what this machine allows.
    return { isDone: false, isBarred: errorCode(cause) === 'EACCES', output: complaintIn(cause) }
  }
}

function complaintIn(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const written = 'stderr' in cause ? String(cause.stderr).trim() : ''
  return written === '' ? cause.message : written
}

/**
 * Starts the server in its own session: Ctrl-C in the terminal does not reach it, and it survives when its parent is
 * killed, so that the next start finds it again.
 */
export function spawnServer(
  launch: Launch,
  options: { readonly folder: string; readonly args: readonly string[]; readonly logHandle: number },
): ChildProcess {
  const args = ['-D', pathInside(launch, options.folder), ...options.args]
  const [file, line] = commandLine(launch, 'postgres', args)
  const child = spawn(file, line, {
    ...identityOf(launch),
    cwd: options.folder,
    env: ENVIRONMENT,
    detached: true,
    stdio: ['ignore', options.logHandle, options.logHandle],
  })
  child.unref()
  return child
}

/**
 * The path of the data folder for the program. Another user often may not read the folders above (`/root`), but a
 * process can always reach its working directory, and PostgreSQL never leaves its data folder.
 */
export function pathInside(launch: Launch, folder: string): string {
  return launch.account !== null && process.platform === 'linux' ? '/proc/self/cwd' : folder
}

/** PostgreSQL must not inherit settings (`PGDATA`, `LC_ALL`, `LD_PRELOAD`) from the shell of the operator. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' } as const

function commandLine(launch: Launch, program: string, args: readonly string[]): [string, string[]] {
  const [file = '', ...rest] = [...launch.prefix, join(launch.home, 'bin', program), ...args]
  return [file, rest]
}

function identityOf({ account }: Launch): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid }
}
